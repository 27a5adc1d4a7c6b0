/** What figures are made of: what the emulator and the receivers recorded. */
import type { EntryOf } from "../../dev/emulator/index.ts";
import { exactly, shown, type Figure } from "./figures.ts";
import { sha256Of } from "./letters.ts";
import type { Arrival } from "./receiver-messages.ts";
import type { Stack } from "./stack.ts";

/** How many entered from `from` on, and before `to`. */
export function countBetween(entries: readonly { readonly at: number }[], from: number, to: number): number {
  return entries.filter(({ at }) => at >= from && at < to).length;
}

/** What became of some messages, from the emulator's journal and a receiver's log. */
export interface Evidence {
  readonly accepted: readonly Pick<EntryOf<"accepted">, "messageId" | "bodySha256">[];
  readonly deadLettered: readonly Pick<EntryOf<"dead-lettered">, "messageId">[];
  readonly deliveries: readonly Pick<EntryOf<"delivery">, "messageId" | "status">[];
  readonly arrivals: readonly Arrival[];
}

export interface Outcome {
  readonly delivered: number;
  /**
   * Accepted once more often than they came back: whatever else would be lost, or doubled by whoever
   * published.
   */
  readonly publishedOnce: number;
  /** Answered 2xx more than once, although the service heard each answer. */
  readonly doubled: number;
  /** Answered 2xx more than once, and the service had given up an answer: it delivers at least once. */
  readonly redelivered: number;
}

export function outcomeOf(ids: readonly string[], evidence: Evidence): Outcome {
  const answered = countBy(
    evidence.arrivals.filter(({ status }) => status >= 200 && status < 300),
    ({ id }) => id,
  );
  const out = acceptedLessBack(evidence.accepted, evidence.deadLettered);
  const unheard = new Set(
    evidence.deliveries.filter(({ status }) => status === 0).map(bodiesOf(evidence.accepted)),
  );
  const more = ids.filter((id) => (answered.get(id) ?? 0) > 1);
  const doubled = more.filter((id) => !unheard.has(sha256Of(id))).length;
  return {
    delivered: ids.filter((id) => answered.has(id)).length,
    publishedOnce: ids.filter((id) => out.get(sha256Of(id)) === 1).length,
    doubled,
    redelivered: more.length - doubled,
  };
}

type Accepted = Evidence["accepted"];

/** By the messages that were accepted, the body of any of them; empty for others. */
function bodiesOf(accepted: Accepted): (message: { readonly messageId: string }) => string {
  const bodies = new Map(accepted.map(({ messageId, bodySha256 }) => [messageId, bodySha256]));
  return ({ messageId }) => bodies.get(messageId) ?? "";
}

/** Of each body: how often a message with it was accepted, less how often one came back. */
function acceptedLessBack(
  accepted: Accepted,
  deadLettered: Evidence["deadLettered"],
): ReadonlyMap<string, number> {
  const back = countBy(deadLettered, bodiesOf(accepted));
  const times = countBy(accepted, ({ bodySha256 }) => bodySha256);
  return new Map([...times].map(([body, count]) => [body, count - (back.get(body) ?? 0)]));
}

/** Bodies that were accepted more often than once and once for each time they came back. */
export function publishedTwice(accepted: Accepted, deadLettered: Evidence["deadLettered"]): number {
  return [...acceptedLessBack(accepted, deadLettered).values()].filter((count) => count > 1).length;
}

/**
 * Per second, between the moments at which one and nine tenths of them had come: what begins and ends a drain
 * is not its rate.
 */
export function ratePerSecond(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  const [from, to] = [Math.floor(sorted.length * 0.1), Math.floor(sorted.length * 0.9)];
  const tookMs = (sorted[to] ?? 0) - (sorted[from] ?? 0);
  return tookMs > 0 ? ((to - from) * 1_000) / tookMs : 0;
}

/** The largest number of them in any one of `windowMs`. */
export function mostWithin(entries: readonly { readonly at: number }[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, { at }] of entries.entries()) {
    while (at - entries[first]!.at >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/**
 * How far they are ahead of a rate at most, in seconds of it: of any span, what came beyond what the rate
 * gives in its time. A burst of one second's worth at once is 1, however long the span around it is. Entries
 * are in order.
 */
export function secondsAhead(entries: readonly { readonly at: number }[], perSecond: number): number {
  let most = 0;
  let lowest = Infinity;
  for (const [index, { at }] of entries.entries()) {
    const given = (at * perSecond) / 1_000;
    lowest = Math.min(lowest, index - given);
    most = Math.max(most, index + 1 - given - lowest);
  }
  return most / perSecond;
}

export function countBy<One>(all: readonly One[], keyOf: (one: One) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

type Witnesses = Pick<Stack, "emulator" | "receivers">;

/** What has become of `ids` by now, by what the emulator and all receivers recorded. */
export async function outcomeAt(
  { emulator, receivers }: Witnesses,
  ids: readonly string[],
): Promise<Outcome> {
  const arrivals = (await Promise.all(receivers.map((one) => one.arrivals()))).flat();
  return outcomeOf(ids, {
    accepted: await emulator.journal("accepted"),
    deadLettered: await emulator.journal("dead-lettered"),
    deliveries: await emulator.journal("delivery"),
    arrivals,
  });
}

/** Each of `ids` is delivered, and once. */
export async function deliveredOnce(
  witnesses: Witnesses,
  ids: readonly string[],
): Promise<readonly Figure[]> {
  const { delivered, publishedOnce, doubled, redelivered } = await outcomeAt(witnesses, ids);
  return [
    exactly("delivered", delivered, ids.length),
    exactly("published once, come-backs aside", publishedOnce, ids.length),
    exactly("delivered more than once though the service heard each answer", doubled, 0),
    shown("delivered again, because the service had given up an answer", String(redelivered)),
  ];
}
