import type { Candidate } from "../records.ts";

/** Cuts a refused batch of at least two candidates in two, by count or by encoded bytes. Neither half is empty. */
export function halves(
  candidates: readonly Candidate[],
  by: "count" | "bytes",
): readonly (readonly Candidate[])[] {
  const middle = by === "count" ? Math.floor(candidates.length / 2) : middleByBytes(candidates);
  return [candidates.slice(0, middle), candidates.slice(middle)];
}

function middleByBytes(candidates: readonly Candidate[]): number {
  const half = candidates.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  let sum = 0;
  const at = candidates.findIndex(({ bytes }) => (sum += bytes) >= half);
  return Math.min(Math.max(at, 1), candidates.length - 1);
}
