import type { LoggedMove } from "../daemon-process.ts";
import type { HostFacts, Try } from "./host-facts.ts";

/** Tries further apart than this are separate bursts. */
export const burstGapMs = 700;

export interface Seen {
  readonly facts: HostFacts;
  readonly moves: readonly LoggedMove[];
  /** Unix ms. */
  readonly now: number;
}

/** Some tries that went together, and the state of their lane then. */
export interface Burst {
  /** Unix ms of the first and of the last. */
  readonly at: number;
  readonly lastAt: number;
  readonly state: string;
  readonly tries: readonly Try[];
}

/** What an open lane lets through is no try of anything: it has no bursts. */
export function toTriedBursts(tries: readonly Try[], moves: readonly LoggedMove[]): readonly Burst[] {
  const bursts: { at: number; lastAt: number; state: string; tries: Try[] }[] = [];
  for (const tried of tries) {
    const state = stateAt(moves, tried.at);
    if (state === "open") continue;
    const last = bursts.at(-1);
    if (last !== undefined && last.state === state && tried.at - last.lastAt <= burstGapMs) {
      last.tries.push(tried);
      last.lastAt = tried.at;
    } else {
      bursts.push({ at: tried.at, lastAt: tried.at, state, tries: [tried] });
    }
  }
  return bursts;
}

/** Of the moves of one lane. One that nobody knows is a new one. */
export function stateAt(moves: readonly LoggedMove[], at: number): string {
  return moves.findLast((move) => move.at <= at)?.to ?? "canary";
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
