import type { LoggedMove } from "../daemon-process.ts";
import type { Try } from "./replay-journal.ts";

/** Tries further apart than this are separate bursts. */
export const burstGapMs = 700;

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
