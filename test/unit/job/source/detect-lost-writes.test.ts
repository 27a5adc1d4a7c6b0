import { describe, expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { DrainName, Token } from "../../../../src/job/contracts/ids.ts";
import type { LedgerSummary, Ledger } from "../../../../src/job/contracts/ledger.ts";
import { publishedFact, standsOn } from "../../../support/ledger-stands.ts";
import { useRedis } from "../../../support/redis.ts";
import { watchLedger, type LostWrites } from "../../../../src/job/source/detect-lost-writes.ts";

const redis = useRedis();
const create = standsOn(redis);

describe("the watch over the ledger's stamps", () => {
  it("tells of no loss when answers arrive in another order than they were given", async () => {
    const lost: LostWrites[] = [];
    const { ledger } = await create();
    const late: (() => void)[] = [];
    const slow: Ledger = {
      ...ledger,
      now: async () => {
        const stamp = await ledger.now();
        await new Promise<void>((resolve) => late.push(resolve));
        return stamp;
      },
    };
    const watched = watchLedger(slow, (one) => lost.push(one));
    await watched.published([publishedFact("0-1")]);
    const early = watched.now();
    await watched.published([publishedFact("0-2")]);
    await watched.published([publishedFact("0-3")]);
    for (const arrive of late) arrive();
    await early;
    expect(lost).toEqual([]);
  });

  it("tells once of an epoch that changed, and of a sequence that went back", async () => {
    const lost: LostWrites[] = [];
    let stamp = { epoch: "a", sequence: 5, at: 1 };
    const ledger: Ledger = { ...(await create()).ledger, now: () => Promise.resolve(stamp) };
    const watched = watchLedger(ledger, (one) => lost.push(one));
    await watched.now();
    stamp = { epoch: "a", sequence: 4, at: 1 };
    await Promise.all([watched.now(), watched.now(), watched.now()]);
    expect(lost).toHaveLength(1);
    stamp = { epoch: "b", sequence: 9, at: 1 };
    await watched.now();
    await watched.now();
    expect(lost).toHaveLength(2);
  });

  it.each([
    ["within the window, so its policy decides at once", 599_000, 599_000 - 420_001],
    ["later, while what was refused may go under its second id", 3_000_000, 3_000_000 - 420_001],
    ["a window after all of it was forgotten", 4_801_000, undefined],
  ])("takes no first id to heal what was refused before a loss: %s", async (_when, agoMs, oldestAgo) => {
    const told: (number | undefined)[] = [];
    const stand = await create();
    const began = stand.now();
    let epoch = "a";
    const real = stand.ledger;
    const ledger: Ledger = { ...real, now: async () => ({ ...(await real.now()), epoch }) };
    const watched = watchLedger(ledger, (_lost, at) => told.push(at));
    const by = "t" as Token;
    const request = { dlqId: "0-1" as DlqId, messageId: "msg_1" as MessageId, attempt: 1 };
    const options = { token: by, drain: "d" as DrainName, act: "republish", pastHorizon: "leave" } as const;
    await watched.begin([request], { ...options, pageReadAt: began });
    await watched.refused([{ dlqId: request.dlqId, outcome: "refused", coolMs: 0 }], by);
    // A process that began after the refusal reads of it with its first answer.
    const later: (number | undefined)[] = [];
    const restarted = watchLedger(ledger, (_lost, at) => later.push(at));
    ({ epoch } = await real.now());
    await watched.now();
    await restarted.now();
    await stand.advance(agoMs);
    epoch = "b";
    await watched.now();
    await restarted.now();
    const expected = [oldestAgo === undefined ? undefined : began + oldestAgo];
    expect(told).toEqual(expected);
    expect(later).toEqual(expected);
  });

  it("takes no first id to heal what a declared double may have sent before a loss", async () => {
    const told: (number | undefined)[] = [];
    const { ledger: real, now, advance } = await create();
    let epoch = "a";
    const watched = watchLedger(
      { ...real, now: async () => ({ ...(await real.now()), epoch }) },
      (_lost, at) => told.push(at),
    );
    ({ epoch } = await real.now());
    const request = { dlqId: "0-1" as DlqId, messageId: "msg_1" as MessageId, attempt: 1 };
    const options = { drain: "d" as DrainName, act: "republish", pastHorizon: "new-series" } as const;
    for (const token of ["t", "u"] as Token[]) {
      await watched.begin([request], { ...options, token, pageReadAt: now() });
      await advance(500_000);
    }
    await watched.now();
    epoch = "b";
    await watched.now();
    expect(told).toEqual([now() - 420_001]);
  });

  it.each<[string, Partial<LedgerSummary>, number | undefined]>([
    ["nothing", {}, undefined],
    ["what pends", { pendingDelete: 2, oldestPendingAt: 7_000 }, 7_000],
    ["what is in doubt, from a horizon before", { unknown: 1, oldestOpenAt: 900_000 }, 480_000],
    ["not what is in flight", { open: 1, oldestOpenAt: 900_000 }, undefined],
  ])("tells of the oldest publication that it knew not to be settled: %s", async (_what, found, oldestAt) => {
    const told: unknown[] = [];
    const { ledger: real } = await create();
    let epoch = "a";
    const ledger: Ledger = {
      ...real,
      summary: async () => ({ ...(await real.summary()), epoch, ...(epoch === "a" ? found : {}) }),
    };
    const watched = watchLedger(ledger, (_lost, at) => told.push(at));
    await watched.summary();
    epoch = "b";
    await watched.summary();
    expect(told).toEqual([oldestAt]);
  });
});
