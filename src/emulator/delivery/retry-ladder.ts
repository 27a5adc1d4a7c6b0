/** The longest wait between two attempts: one day. */
const longestMs = 86_400_000;

/** The wait before retry `n` (1, 2, …): min(86400, e^(2.5 n)) seconds, so 12 s, 2 m 28 s, 30 m 8 s, 6 h 7 m, 24 h. */
export function retryLadderMs(n: number): number {
  return Math.min(longestMs, Math.exp(2.5 * n) * 1_000);
}
