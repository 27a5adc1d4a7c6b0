import * as fc from "fast-check";
import { test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { BeginOptions, DeleteEnd, RefusedRequest } from "../../../../../src/job/contracts/ledger.ts";
import {
  ids,
  longestRunMs,
  nothingKnown,
  toAdvance,
  toArchive,
  toBegin,
  toBury,
  toBuryUnlisted,
  toFailDelete,
  toLookAround,
  toPark,
  toPublish,
  toRefuse,
  toRelease,
  type Command,
  type KnownRecord,
  type Model,
  type Real,
} from "../../../../support/ledger-model.ts";
import {
  defaultLimits,
  drain,
  horizonMs,
  ofTwoProcesses,
  otherDrain,
  redisStand,
  startOfTime,
  takeoverMs,
  token,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";
import { casesOf } from "../../../../support/fuzzing.ts";

const redis = useRedis();

const anyId = fc.constantFrom(...ids);
/** Often the same few, so that what was begun together goes on together. */
const someIds = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(ids.slice(0, 2), ids.slice(2), ids) },
  { weight: 2, arbitrary: fc.uniqueArray(anyId, { minLength: 1, maxLength: 3 }) },
);
const pick = fc.nat({ max: 3 });
const pastHorizon = fc.constantFrom<BeginOptions["pastHorizon"]>("leave", "new-series");
const anyBegin = fc
  .record({
    asked: someIds,
    options: fc.record(
      {
        act: fc.constantFrom<BeginOptions["act"]>("republish", "republish", "republish", "drop"),
        drain: fc.constantFrom(drain, drain, otherDrain),
        pastHorizon,
        rulesHash: fc.constant("h2"),
      },
      { requiredKeys: ["act", "drain", "pastHorizon"] },
    ),
    retry: fc.constant(null),
  })
  .map(toBegin);
const anyRetry = fc
  .record({
    asked: someIds,
    options: fc.record({ act: fc.constant("republish" as const), drain: fc.constant(drain), pastHorizon }),
    retry: fc.record({ pick, outcome: fc.constantFrom("refused" as const, "unknown", "not-sent") }),
  })
  .map(toBegin);
const anyRefusal = fc
  .tuple(
    anyId,
    pick,
    fc.constantFrom<RefusedRequest["outcome"]>("refused", "refused-alone", "not-sent", "hit-after-refusals"),
    fc.constantFrom(0, 5_000, 60_000),
  )
  .map((args) => toRefuse(...args));
const anyAdvance = fc
  .constantFrom(1, 1_000, takeoverMs, takeoverMs + 1, 150_000, horizonMs, horizonMs + 1)
  .map(toAdvance);
/** What ends a record's story comes seldom, so that there is one. */
const anyEnding = fc.oneof(
  fc
    .tuple(
      someIds,
      fc.constantFrom("x", "y"),
      ...([fc.boolean(), fc.constantFrom(undefined, undefined, token("n1"), token("n2"))] as const),
    )
    .map(([asked, text, isPending, by]) => toPublish(asked, text, isPending && by === undefined, by)),
  fc.tuple(anyId, pick).map((args) => toArchive(...args)),
  someIds.map(toBury),
  fc
    .tuple(anyId, fc.constantFrom<DeleteEnd>("failed", "unanswered", "short"))
    .map((args) => toFailDelete(...args)),
  fc.constant(toBuryUnlisted()),
);
const anyPark = fc
  .tuple(anyId, fc.constantFrom("rule" as const, "refused"), pick)
  .map((args) => toPark(...args));
const often = [anyBegin, anyAdvance];
const lessOften = [anyRetry, anyRefusal];
const commands: fc.Arbitrary<Command>[] = [
  ...often,
  ...often,
  ...often,
  anyBegin,
  ...lessOften,
  ...lessOften,
  fc.oneof(anyPark, anyId.map(toRelease)),
  anyEnding,
  fc.constant(toLookAround()),
];

test(
  "in any order of any workers nothing is begun that may double, and facts stay",
  { timeout: 240_000 },
  async () => {
    const limits = { ...defaultLimits, settleGateAgeMs: 2 * longestRunMs };
    const anyOrder = fc.asyncProperty(
      fc.commands(commands, { maxCommands: 60, size: "max" }),
      async (run) => {
        const connection = redis.fresh();
        const stand = await redisStand(connection, limits);
        const real: Real = {
          stand: { ...stand, ledger: ofTwoProcesses(stand.ledger, stand.createLedger()) },
          connection,
        };
        const records = new Map<DlqId, KnownRecord>(ids.map((id) => [id, nothingKnown()]));
        const model: Model = { now: startOfTime, minted: 0, tokens: [], records };
        await fc.asyncModelRun(() => ({ model, real }), [...run, toLookAround()]);
      },
    );
    await fc.assert(anyOrder, { numRuns: casesOf(300) });
  },
);
