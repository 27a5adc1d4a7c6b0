/** Any lives of dead letters, and what is kept of them: the report is what they were, and it adds up. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AuditAct } from "../../../../src/job/contracts/audit.ts";
import type { HourlyArrivals } from "../../../../src/job/contracts/failures.ts";
import { createCount } from "../../../../src/people/operations/report/count.ts";
import { hourMs } from "../../../../src/people/read/totals.ts";

const start = 472_000 * hourMs;
const retentionMs = 12 * hourMs;
const now = start + 40 * hourMs + 1;

/** Hours since the start. `end`: what becomes of it so long after; none: it waits until it expires. */
const life = fc.record({
  enters: fc.integer({ min: 0, max: 39 }),
  minute: fc.integer({ min: 1, max: 58 }),
  stays: fc.integer({ min: 1, max: 11 }),
  end: fc.constantFrom("sent", "sent", "dropped", "discarded", "none"),
  isLost: fc.boolean(),
  isTakenBack: fc.boolean(),
  host: fc.constantFrom("a.example", "b.example"),
});
type Life = typeof life extends fc.Arbitrary<infer One> ? One : never;

const toEntered = ({ enters, minute }: Life): number => start + enters * hourMs + minute * 60_000;
const toLeft = (one: Life): number => toEntered(one) + one.stays * hourMs;

function count(lives: readonly Life[], from: number, to: number, uncounted = 0, cutAt = 0) {
  const counter = createCount(10_000);
  const acts = lives.flatMap((one, index) => {
    if (one.end === "none" || toLeft(one) >= now) return [];
    const record = { dlqId: `${toEntered(one)}-${index}`, host: one.host, as: `msg_${index}` };
    const add = (act: AuditAct, more = {}) => ({ act, at: toLeft(one), records: [{ ...record, ...more }] });
    if (one.end !== "sent") {
      const taken = [add("drop", one.end === "discarded" ? { reason: "discarded" } : {}), add("delete")];
      if (!one.isTakenBack) return taken;
      // From the archive. It left by its drop all the same.
      const later = { at: toLeft(one) + hourMs };
      const sent = [add("republish", { reason: "from-archive" }), ...(one.isLost ? [] : [add("published")])];
      return [...taken, ...sent.map((act) => ({ ...act, ...later })), ...(one.isLost ? [] : [add("delete")])];
    }
    // Of some no answer told, and some facts were written twice.
    return one.isLost
      ? [add("republish"), add("delete")]
      : [add("republish"), add("published"), add("published"), add("delete")];
  });
  for (const act of acts.filter(({ at }) => at >= cutAt)) counter.add(act);
  const arrivals = new Map<string, HourlyArrivals>();
  const kinds = ["a.example", "b.example"].map((host) => {
    const own = lives.filter((one) => one.host === host);
    const waits = own.filter((one) => isThere(one, now));
    const hours: Record<string, number> = {};
    // A process that was killed did not count what it had just sent.
    for (const one of own.filter((one, at) => at >= uncounted || one.end !== "sent" || isThere(one, now))) {
      const hour = Math.floor(toEntered(one) / hourMs);
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    const since = waits.length === 0 ? null : Math.min(...waits.map(toEntered));
    const nothing = { parked: 0, firstMetAt: start, failedAgain: 0, drains: [{}] };
    arrivals.set(host, hours);
    return { ...nothing, id: host, origin: `https://${host}`, waiting: waits.length, since } as never;
  });
  return counter.read(kinds, arrivals, { from, to, now, cutAt, retentionMs, isHost: null });
}

/** To the hour, as what expires is known by the hour. */
const toEnd = (one: Life): number => {
  const leaves = one.end === "none" ? Infinity : toLeft(one);
  return Math.min(leaves, (Math.floor(toEntered(one) / hourMs) + 1) * hourMs + retentionMs);
};
const isThere = (one: Life, at: number): boolean => toEntered(one) < at && toEnd(one) > at;

function sumOf({ figures }: ReturnType<typeof count>): readonly [number, number] {
  const { waitedBefore, arrived, sentAgain, dropped, discarded, expired, gone, waitsAfter } = figures;
  return [waitedBefore + arrived, sentAgain + dropped + discarded + expired + gone + waitsAfter];
}

describe("an outage report", () => {
  const spans = fc
    .tuple(fc.integer({ min: 0, max: 38 }), fc.integer({ min: 1, max: 41 }))
    .map(([first, hours]) => {
      const from = start + first * hourMs;
      return { from, to: Math.min(now, from + hours * hourMs) };
    });

  it("is what became of the letters, in any span", () => {
    fc.assert(
      fc.property(fc.array(life, { maxLength: 60 }), spans, fc.boolean(), (lives, { from, to }, isCut) => {
        const { figures, unknown } = count(lives, from, to, 0, isCut ? from - 1 : 0);
        const many = (fits: (one: Life) => boolean): number => lives.filter(fits).length;
        const isIn = (at: number): boolean => at >= from && at < to;
        const ended = (end: Life["end"]) => many((one) => one.end === end && isIn(toLeft(one)));
        const lost = isCut ? ["expired", "waitedBefore", ...(to < now ? ["waitsAfter"] : [])] : [];
        expect(Object.keys(unknown)).toEqual(expect.arrayContaining(lost));
        const truth = {
          waitedBefore: many((one) => toEntered(one) < from && toEnd(one) > from),
          arrived: many((one) => isIn(toEntered(one))),
          sentAgain: ended("sent"),
          dropped: ended("dropped"),
          discarded: ended("discarded"),
          expired: many((one) => one.end === "none" && toEnd(one) > from && toEnd(one) <= to),
          gone: 0,
          waitsAfter: many((one) => isThere(one, to)),
        };
        const known = Object.entries(truth).filter(([name]) => !lost.includes(name));
        expect(figures).toMatchObject(Object.fromEntries(known));
      }),
    );
  });

  it("adds up, and has all that was sent, if killed processes did not count it", () => {
    fc.assert(
      fc.property(fc.array(life, { maxLength: 60 }), spans, (lives, { from, to }) => {
        const counted = count(lives, from, to, 20);
        const sent = lives.filter((one) => one.end === "sent" && toLeft(one) >= from && toLeft(one) < to);
        expect(counted.figures.sentAgain).toBe(sent.length);
        const [before, after] = sumOf(counted);
        expect(before).toBe(after);
      }),
    );
  });

  it("says that it does not know what failed again before, and of a host what expired", () => {
    const at = now - hourMs;
    const hour = Math.floor(at / hourMs);
    const kind = {
      id: "a",
      origin: "https://a",
      waiting: 1,
      parked: 0,
      since: at,
      firstMetAt: at,
      failedAgain: 2,
    };
    const whole = { from: hour * hourMs, to: now, now, cutAt: 0, retentionMs, isHost: null };
    const read = (more: object, span = {}, hours = {}) =>
      createCount(9).read([{ ...kind, ...more } as never], new Map([["a", { [hour]: 3, ...hours }]]), {
        ...whole,
        ...span,
      });
    const unknownOf = (...asked: Parameters<typeof read>) => Object.keys(read(...asked).unknown).toSorted();
    expect(read({ drains: [{}] }).figures).toMatchObject({ gone: 2, arrived: 3, failedAgain: 2 });
    const ofHost = unknownOf({ firstMetAt: 0 }, { isHost: () => true });
    expect(ofHost).toEqual(["expired", "failedAgain", "gone", "silent"]);
    // Of the hour that goes on some may be gone, and be taken off or not.
    const turning = hour - 11;
    const hours = { [turning]: 8 };
    expect(unknownOf({}, {}, hours)).toEqual(["expired", "waitedBefore"]);
    const isStale = { waiting: 9, expiredSince: now - 1 };
    expect(unknownOf(isStale, {}, hours)).toEqual(["expired", "gone", "waitedBefore", "waitsAfter"]);
    expect(read(isStale, {}, hours).hosts).toMatchObject([{ waitsAfter: null }]);
    expect(unknownOf({}, { from: turning * hourMs }, hours)).toEqual(["expired", "gone"]);
    const since = (days: number) => unknownOf({}, { from: now - days * 24 * hourMs });
    expect([since(6), since(6.9)]).toEqual([[], ["expired", "waitedBefore"]]);
    expect(since(8)).toEqual(["arrived", "expired", "waitedBefore"]);
  });

  it("counts a come-back of a queue once, which its audit has by its host", () => {
    const at = now - hourMs;
    const host = { waiting: 1, parked: 0, since: at, firstMetAt: at, drains: [{}] };
    const kinds = [
      { ...host, id: "a", origin: "https://a", failedAgain: 1 },
      { ...host, id: "q", origin: "queue:q", failedAgain: 2 },
    ] as never[];
    const failedAgain = (comeBacks: number): number => {
      const counter = createCount(9);
      for (let n = 0; n < comeBacks; n += 1)
        counter.add({ act: "republish", at, records: [{ dlqId: `${at}-${n}`, host: "a", parent: "1-0" }] });
      const span = { from: at - hourMs, to: now, now, cutAt: 0, retentionMs, isHost: null };
      return counter.read(kinds, new Map(), span).figures.failedAgain;
    };
    // One waits at the host; of the two of the queue none, one, and both were sent again.
    expect([1, 2, 3].map(failedAgain)).toEqual([3, 3, 3]);
  });
});
