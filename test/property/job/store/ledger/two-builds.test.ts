import * as fc from "fast-check";
import { test } from "vitest";
import { casesOf } from "../../../../support/fuzzing.ts";
import { ids, limits, playOnTwoBuilds, type Act } from "../../../../support/ledger-two-builds.ts";
import { horizonMs, takeoverMs } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const asked = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(ids.slice(0, 2), ids.slice(2), ids, ids.slice(0, 3)) },
  { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 3 }) },
);
const old = fc.constantFrom(false, false, true);
const kind = fc.constantFrom("begin" as const, "begin", "published", "gone", "look");
const ms = fc.constantFrom(
  1_000,
  takeoverMs + 1,
  horizonMs + 1,
  limits.tombstoneMs / 2,
  limits.tombstoneMs,
  limits.retentionMs / 2,
  limits.retentionMs,
);
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind, asked, old }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("refused" as const, "deleteFailed"), asked }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("summary" as const), old }) },
);

test(
  "two builds on one Redis: nothing known is forgotten before its time, and nothing is begun twice",
  { timeout: 240_000 },
  async () => {
    const property = fc.asyncProperty(
      fc.array(anyAct, { minLength: 5, maxLength: 40, size: "max" }),
      (acts) => playOnTwoBuilds(redis.fresh(), acts),
    );
    await fc.assert(property, { numRuns: casesOf(200) });
  },
);
