/**
 * The figures of a trial, from what the emulator and the receiver wrote down and, where only they know, from
 * what the daemons said.
 */
import { atMost, exactly, shown, type Figure } from "../../rig/figures.ts";
import { countBy } from "../../rig/outcome.ts";
import type { Stack } from "../../rig/stack.ts";
import type { TrialBooks } from "./books.ts";
import type { Trial } from "./trial.ts";

/** A trial that is over: its daemons have ended, and no fault is in the way of a last look. */
export interface Played {
  readonly trial: Trial;
  readonly stack: Stack;
  readonly books: TrialBooks;
  readonly startedAt: number;
}

export async function measure(played: Played): Promise<readonly Figure[]> {
  const { trial, stack, books, startedAt } = played;
  const { judge, log, parkedAt, moves } = books;
  const { bounds, count } = trial;
  const all = [...judge.letters.values()];
  const inQueue = await stack.emulator.list();
  // What is delivered by callbacks has no id.
  const arrivals = (await stack.receiver.arrivals()).filter(({ id, status }) => id !== "" && status === 200);
  const arrived = countBy(arrivals, ({ id }) => id);
  const shaOf = new Map(all.map(({ letter }) => [letter.root, letter.bodySha256]));
  const altered = arrivals.filter(({ id, bodySha256 }) => (shaOf.get(id) ?? bodySha256) !== bodySha256);
  const toStay = all.filter(({ letter }) => letter.fate === "stay");
  const toPublish = all.filter(({ letter }) => letter.fate !== "stay");
  const lost = all.filter(
    ({ letter, acceptances }) => !inQueue.has(letter.dlqId) && acceptances.length === 0,
  );
  const notDelivered = all.filter(
    ({ letter, acceptances }) => acceptances.length > 0 && !arrived.has(letter.root),
  );
  const unsettled = toPublish.filter(({ deleted }) => deleted === null).length;
  const lastDeleteAt = Math.max(startedAt, ...toPublish.map(({ deleted }) => deleted?.at ?? 0));
  // A declared double has waited for the end of its window.
  const doubled = new Set(judge.doubles.map(({ dlqId }) => dlqId));
  const others = toPublish.filter(({ letter }) => !doubled.has(letter.dlqId));
  const lastOtherAt = Math.max(startedAt, ...others.map(({ deleted }) => deleted?.at ?? 0));
  const lastParkAt = Math.max(startedAt, ...toStay.map(({ letter }) => parkedAt.get(letter.dlqId) ?? 0));
  const parked = toStay.filter(({ letter }) => parkedAt.has(letter.dlqId)).length;
  const mayWait = bounds.refusedMayWaitAfterS !== undefined;
  const isDone = unsettled === 0 && (mayWait || parked === toStay.length);
  const stallS = longestStallMs(moves, startedAt, unsettled === 0 ? lastDeleteAt : Date.now()) / 1_000;
  const undeclared = judge.violations.filter(({ rule }) => rule === "doubled").length;
  const broken = judge.violations.filter(({ rule }) => rule !== "doubled");
  const apartS = judge.doubles.map(({ apartMs }) => Math.round(apartMs / 1_000));
  const inside = apartS.length === 0 ? "" : `, ${Math.min(...apartS)} to ${Math.max(...apartS)} s apart`;
  const event = (name: string): number => log.counts.get(name) ?? 0;
  const halts = event("source:halted");
  return [
    exactly("lost", lost.length + notDelivered.length, 0),
    exactly("doubled, undeclared", undeclared, 0),
    exactly("received with other bytes", altered.length, 0),
    {
      ...atMost("doubled, declared", judge.doubles.length, Math.floor(bounds.declaredShare * count)),
      seen: `${judge.doubles.length}${inside}`,
    },
    mayWait
      ? shown("parked that had to be", `${parked} of ${toStay.length}`)
      : exactly("parked that had to be", parked, toStay.length),
    exactly("parked that had not", toPublish.filter(({ letter }) => parkedAt.has(letter.dlqId)).length, 0),
    exactly("left in the queue", inQueue.size, toStay.length),
    atMost(
      "done but for declared doubles after, s",
      isDone ? (Math.max(lastOtherAt, lastParkAt) - startedAt) / 1_000 : Infinity,
      bounds.doneWithinS,
    ),
    bounds.stallS === undefined
      ? shown("longest stall, s", stallS.toFixed(1))
      : atMost("longest stall, s", stallS, bounds.stallS),
    bounds.isNeverHalted === true
      ? exactly("source halted", halts, 0)
      : shown("source halted", String(halts)),
    exactly("other rules broken", broken.length, 0),
    shown("sweeps finished, failed", `${event("sweep:finished")}, ${event("sweep:failed")}`),
  ];
}

/** The longest time without a move between `from` and `to`, ms. */
function longestStallMs(moves: readonly number[], from: number, to: number): number {
  const times = [from, ...moves.filter((at) => at > from && at < to).toSorted((a, b) => a - b), to];
  return Math.max(0, ...times.slice(1).map((end, index) => end - times[index]!));
}
