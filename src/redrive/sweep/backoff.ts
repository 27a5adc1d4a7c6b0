/** Skips more turns after each turn without progress: 1, 3, 7, … up to `maxSkipped`. */
export interface Backoff {
  /** Asked once a turn; true: skip this one. */
  skips(): boolean;
  note(turn: "progress" | "no-progress"): void;
}

export function createBackoff(maxSkipped: number): Backoff {
  let fruitless = 0;
  let toSkip = 0;
  return {
    skips() {
      if (toSkip === 0) return false;
      toSkip -= 1;
      return true;
    },
    note(turn) {
      fruitless = turn === "progress" ? 0 : fruitless + 1;
      toSkip = turn === "progress" ? 0 : Math.min(2 ** fruitless - 1, maxSkipped);
    },
  };
}
