import { parkReasons, type ParkReason } from "../../../../../src/job/message/park-reasons.ts";
import { beforeEach, describe, expect, test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import { isDecidedAgain, reasonsDecidedAgain } from "../../../../../src/job/contracts/ledger-entries.ts";
import type { ParkOptions, RefusedRequest } from "../../../../../src/job/contracts/ledger.ts";
import {
  after,
  begun,
  lookAt,
  begin,
  defaultLimits,
  dlqId,
  drain,
  horizonMs,
  otherDrain,
  standsOn,
  startOfTime,
  takeoverMs,
  token,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";

const create = standsOn();
const [a, b, c] = [token("a"), token("b"), token("c")];
const id = dlqId(1);

async function refuse(stand: LedgerStand, by: typeof a, outcome: RefusedRequest["outcome"], coolMs = 60_000) {
  return (await stand.ledger.refused([{ dlqId: id, outcome, coolMs }], by)).verdicts[0];
}

type ParkBy = Partial<ParkOptions> & { readonly id?: DlqId; readonly attempt?: number };
async function park(
  stand: LedgerStand,
  reason: ParkReason,
  { id: of = id, attempt = 0, ...by }: ParkBy = {},
) {
  const options = { drain, rulesHash: "h1", token: null, ...by };
  return (await stand.ledger.park([{ dlqId: of, reason, attempt }], options)).verdicts[0]?.kind;
}

let stand: Awaited<ReturnType<typeof create>>;
beforeEach(async () => {
  stand = await create();
});

describe("refused", () => {
  test("a refusal for certain cools the record; when due, the next suffix begins a series that no refusal has touched", async () => {
    await begin(stand, id, a);
    expect(await refuse(stand, a, "refused")).toEqual({ kind: "cool", refusedAlone: 0 });
    expect(await lookAt(stand, id)).toEqual({
      state: "cool",
      dueAt: startOfTime + 60_000,
      refusedAlone: 0,
      attempt: 0,
      released: false,
      suffix: 2,
    });
    await stand.advance(59_999);
    expect(await begin(stand, id, b)).toEqual([{ kind: "cooling", dueAt: startOfTime + 60_000 }]);
    await stand.advance(1);
    expect(await begin(stand, id, b)).toEqual([begun({ suffix: 2, firstAt: startOfTime + 60_000 })]);
  });

  test("refusals alone count at most every ten minutes and survive the next begin", async () => {
    const seen = [];
    for (const [index, waitMs] of [0, 300_000, 300_000, 600_000].entries()) {
      await stand.advance(waitMs);
      const by = token(`t${index}`);
      await begin(stand, id, by);
      seen.push(await refuse(stand, by, "refused-alone", 0));
    }
    expect(seen.map((verdict) => verdict?.kind === "cool" && verdict.refusedAlone)).toEqual([1, 1, 2, 3]);
    const { refusedAloneInARow } = await stand.ledger.refused([], a);
    expect(refusedAloneInARow).toBe(4);
  });

  test("a hit beside an unanswered POST and a refusal leaves the record open, and shows that the service takes messages", async () => {
    await begin(stand, id, a);
    await begin(stand, id, b, after(a, "unknown"));
    expect(await refuse(stand, b, "refused-alone", 0)).toEqual({ kind: "stays-open" });
    await stand.advance(takeoverMs + 1);
    await begin(stand, id, c);
    expect(await refuse(stand, c, "hit-after-refusals", 0)).toEqual({ kind: "stays-open" });
    const facts = await stand.ledger.refused([], c);
    expect(facts).toMatchObject({ lastAcceptedAt: startOfTime + takeoverMs + 1, refusedAloneInARow: 0 });
    expect(await lookAt(stand, id)).toMatchObject({
      state: "open",
      series: { suffix: 1, posts: 3, refusals: 2 },
    });
  });

  test("what was refused is forgotten an hour after the window, when no id of it can be hit any more", async () => {
    await begin(stand, id, a);
    await refuse(stand, a, "refused");
    await stand.advance(defaultLimits.dedupWindowMs + 3_600_000 - 5_000);
    expect(await lookAt(stand, id)).toMatchObject({ state: "cool" });
    await stand.advance(5_001);
    expect(await lookAt(stand, id)).toEqual({ state: "absent" });
  });

  test("a later series that was refused is not forgotten: its next POST is still declared as a double", async () => {
    await begin(stand, id, a);
    await stand.advance(horizonMs + 1);
    await begin(stand, id, b, { pastHorizon: "new-series" });
    await refuse(stand, b, "not-sent");
    await stand.advance(defaultLimits.dedupWindowMs + 3_600_000);
    // Nor by a park and a release.
    await park(stand, "attempts-exhausted");
    await stand.ledger.release([id]);
    expect(await begin(stand, id, c)).toMatchObject([
      { series: { suffix: 2 }, declaredDouble: "unknown-outcome-past-window" },
    ]);
  });

  test("a record that is due only after that is kept until then", async () => {
    await begin(stand, id, a);
    await refuse(stand, a, "refused", 7_200_000);
    await stand.advance(7_195_000);
    expect(await lookAt(stand, id)).toMatchObject({ state: "cool" });
  });
});

describe("park and release", () => {
  test("a record in flight is parked by its holder only, an unknown one by anybody", async () => {
    await begin(stand, id, a);
    expect(await park(stand, "refused")).toBe("not-yours");
    expect(await park(stand, "refused", { token: b })).toBe("not-yours");
    await stand.advance(takeoverMs + 1);
    expect(await park(stand, "outcome-unknown", { attempt: 2 })).toBe("parked");
    expect(await lookAt(stand, id)).toEqual({
      state: "parked",
      reason: "outcome-unknown",
      drain,
      rulesHash: "h1",
      attempt: 2,
      suffix: 1,
    });
    expect(await begin(stand, id, b)).toEqual([{ kind: "parked", reason: "outcome-unknown" }]);

    await begin(stand, dlqId(2), a);
    expect(await park(stand, "refused", { token: a, id: dlqId(2) })).toBe("parked");
    expect((await stand.ledger.unknownOutcomes(10, 0)).entries).toEqual([]);
  });

  test.each(reasonsDecidedAgain)(
    "a park by %s is decided again under other rules of the same drain, never by another drain's",
    async (reason) => {
      expect(await park(stand, reason)).toBe("parked");
      const parked = [{ kind: "parked", reason }];
      expect(await begin(stand, id, a)).toEqual(parked);
      expect(await begin(stand, id, a, { rulesHash: "h1" })).toEqual(parked);
      expect(await begin(stand, id, a, { rulesHash: "h2", drain: otherDrain })).toEqual(parked);
      expect(await begin(stand, id, a, { rulesHash: "h2" })).toMatchObject([{ kind: "begun" }]);
    },
  );

  test("no other park is", async () => {
    for (const reason of parkReasons.filter((one) => !isDecidedAgain(one))) {
      expect(await park(stand, reason)).toBe("parked");
      expect(await begin(stand, id, a, { rulesHash: "h2" })).toEqual([{ kind: "parked", reason }]);
    }
  });

  test("a change of rules does not double an unknown outcome past the horizon", async () => {
    await begin(stand, id, a);
    await park(stand, "rule", { token: a });
    await stand.advance(horizonMs + 1);
    expect(await begin(stand, id, b, { rulesHash: "h2" })).toEqual([{ kind: "past-horizon" }]);
    expect(await begin(stand, id, b, { rulesHash: "h2", pastHorizon: "new-series" })).toMatchObject([
      { series: { suffix: 2 }, declaredDouble: "unknown-outcome-past-window" },
    ]);
  });

  test("what a person released after somebody looked at it is not parked by that look, by a later one it is", async () => {
    await park(stand, "rule");
    const seenAt = stand.now();
    await stand.ledger.release([id]);
    expect(await park(stand, "rule", { seenAt })).toBe("not-yours");
    expect(await lookAt(stand, id)).toMatchObject({ state: "cool", released: "by-person" });
    expect(await park(stand, "rule", { seenAt: seenAt + 1 })).toBe("parked");
  });

  test("a released record is due at once with one more attempt, and once only", async () => {
    await park(stand, "attempts-exhausted", { attempt: 5 });
    expect((await stand.ledger.release([id, dlqId(2)])).count).toBe(1);
    expect((await stand.ledger.release([id])).count).toBe(1);
    expect(await lookAt(stand, id)).toEqual({
      state: "cool",
      dueAt: startOfTime,
      refusedAlone: 0,
      attempt: 4,
      released: "by-person",
      suffix: 1,
    });
    expect(await begin(stand, id, a)).toMatchObject([{ series: { suffix: 1 }, declaredDouble: false }]);
    // The attempt was not made, so it is still granted.
    await refuse(stand, a, "not-sent", 0);
    expect(await lookAt(stand, id)).toMatchObject({ state: "cool", released: "by-person" });
  });

  test("what was granted is told until its POST is answered, and by whom", async () => {
    for (const [n, released] of [
      [1, "by-person"],
      [2, "listed-again"],
    ] as const) {
      await park(stand, "vanished", { id: dlqId(n) });
      await stand.ledger.release([dlqId(n)], released);
      expect(await lookAt(stand, dlqId(n))).toMatchObject({ state: "cool", released });
      await begin(stand, dlqId(n), a);
      expect(await lookAt(stand, dlqId(n))).toMatchObject({ state: "open", released });
    }
  });

  test("released past it: the next suffix, declared as a double, also days later", async () => {
    await begin(stand, id, a);
    await park(stand, "outcome-unknown", { token: a });
    await stand.ledger.release([id]);
    await stand.advance(2 * 86_400_000);
    expect(await begin(stand, id, b)).toMatchObject([
      { series: { suffix: 2, firstAt: stand.now(), posts: 1 }, declaredDouble: "released-past-window" },
    ]);
  });

  test("a parked record that is listed now and then is never forgotten", async () => {
    await park(stand, "refused");
    for (let day = 0; day < 5; day += 1) {
      await stand.advance(2 * 86_400_000);
      expect(await lookAt(stand, id)).toMatchObject({ state: "parked" });
    }
    await stand.advance(defaultLimits.retentionMs + 1);
    expect(await lookAt(stand, id)).toEqual({ state: "absent" });
  });
});
