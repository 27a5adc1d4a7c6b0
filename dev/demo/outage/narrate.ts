import type { LoggedMove } from "../daemon-process.ts";
import { burstGapMs, toTriedBursts, type Burst } from "./bursts-of-tries.ts";
import type { HostFacts, Try } from "./replay-journal.ts";

export interface Seen {
  readonly facts: HostFacts;
  readonly moves: readonly LoggedMove[];
  /** Unix ms. */
  readonly now: number;
}

/**
 * Answers what is new of one host since the last call, one line each: every burst once all of it has ended,
 * every move of its lane in the daemon's own words. What an open lane lets through has no lines.
 */
export function createNarrator(origin: string, name: string): (seen: Seen) => readonly string[] {
  let shownMoves = 0;
  let shownUntil = -Infinity;
  return ({ facts, moves, now }) => {
    const own = moves.filter((move) => move.origin === origin);
    const ended = toTriedBursts(facts.tries, own).filter(
      ({ at, lastAt, tries }) =>
        at > shownUntil && tries.every(({ endedAt }) => endedAt !== null) && now - lastAt > burstGapMs,
    );
    shownUntil = Math.max(shownUntil, ...ended.map(({ at }) => at));
    const newMoves = own.slice(shownMoves);
    shownMoves = own.length;
    return [...ended.map((burst) => toLine(burst, name)), ...newMoves.map(({ text }) => `redriver: ${text}`)];
  };
}

function toLine({ state, tries }: Burst, name: string): string {
  const count = tries.length;
  const what = state === "halted" ? (count === 1 ? "a probe" : `${count} probes`) : `${count} of a step`;
  const back = tries.filter(({ outcome }) => outcome === "came back");
  const ends = [
    ...(back.length === count ? [] : [`${count - back.length} delivered`]),
    ...(back.length === 0
      ? []
      : [`${back.length} came back with ${[...new Set(back.map(toAnswer))].join(", ")}`]),
  ];
  return `${name} was sent ${what}: ${ends.join(", ")}`;
}

const toAnswer = ({ status }: Try): string =>
  status === null || status === 0 ? "no answer" : String(status);
