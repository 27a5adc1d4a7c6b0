import * as fc from "fast-check";
import { test } from "vitest";
import type { LaneConfig } from "../../../../../src/job/contracts/drains-document.ts";
import {
  newModel,
  toAdvance,
  toAsk,
  toDeliver,
  toDue,
  toGiveBack,
  toCheck,
  toRecordComeBacks,
  toSend,
  type Command,
} from "../../../../support/lane-model.ts";
import { createLaneStand } from "../../../../support/lane-stands.ts";
import { useRedis } from "../../../../support/redis.ts";
import { casesOf } from "../../../../support/fuzzing.ts";

const redis = useRedis();

/** What else than silence is needed. */
const anyProof: fc.Arbitrary<Pick<LaneConfig, "byReport" | "byAsking">> = fc.constantFrom(
  {},
  {},
  { byReport: true as const },
  { byAsking: true as const },
  { byReport: true as const, byAsking: true as const },
);
const anySettings = fc.record({
  canary: fc.constantFrom(1, 2, 5),
  watchMs: fc.constantFrom(10_000, 60_000, 400_000),
  haltAt: fc.constantFrom(0, 0.2, 0.34, 0.5, 1),
  probeEveryMs: fc.constantFrom(60_000, 300_000, 900_000),
  openFrom: fc.constantFrom(1, 40, 400),
});
const anyConfig: fc.Arbitrary<LaneConfig> = fc
  .tuple(anySettings, anyProof)
  .map(([settings, proof]) => ({ ...settings, ...proof }));
const anyLoad = fc.constantFrom({ count: 0, max: 10 }, { count: 4, max: 10 }, { count: 10, max: 10 }, null);
const pick = fc.oneof(fc.constant(0), fc.nat(4));
const found = (most: number) =>
  fc.record({
    pick,
    count: fc.nat(most),
    kind: fc.constantFrom("down" as const, "down", "refused", "again"),
    status: fc.constantFrom(0, 422, 500, 503),
  });
const minutes = fc.uniqueArray(fc.nat(30), { maxLength: 2 });
const anyAsk = fc
  .tuple(fc.constantFrom(0, 0, 0, 1), fc.constantFrom(0, 1, 3, 10, 100), minutes)
  .map((args) => toAsk(...args));
const anySend = fc.tuple(pick, fc.constantFrom(1, 3, 100)).map((args) => toSend(...args));
const anyCheck = fc.tuple(found(0), fc.constantFrom(0, 0, 1, 3), anyLoad).map((args) => toCheck(...args));
/** What silence, a period and a probe wait for; back for longer than what is taken for now. */
const anyAdvance = fc
  .constantFrom(1, 2_500, 5_000, 10_000, 30_000, 60_000, 60_000, 300_001, 300_001, 900_000, 3_600_001)
  .map(toAdvance);
const often = [anyAsk, anySend, anyAdvance];
const lessOften = [anyCheck, fc.constant(toDue())];
const commands: fc.Arbitrary<Command>[] = [
  ...often,
  ...often,
  ...often,
  ...lessOften,
  ...lessOften,
  fc.tuple(found(3), fc.constantFrom(0, 1)).map((args) => toCheck(...args)),
  found(5).map(toRecordComeBacks),
  fc.tuple(pick, fc.constantFrom(0, 1, 100), minutes).map((args) => toGiveBack(...args)),
  fc.tuple(pick, fc.nat(5)).map((args) => toDeliver(...args)),
  fc.constantFrom(-500, -2_000, -86_400_000).map(toAdvance),
];

test(
  "in any order of any workers no lane lets more go than its state has, and none moves without proof",
  { timeout: 480_000 },
  async () => {
    const anyOrder = fc.asyncProperty(
      anyConfig,
      fc.commands(commands, { maxCommands: 80, size: "max" }),
      async (config, order) => {
        const real = createLaneStand(redis.fresh());
        await fc.asyncModelRun(() => ({ model: newModel(config), real }), order);
      },
    );
    await fc.assert(anyOrder, { numRuns: Math.max(100, casesOf(500)) });
  },
);
