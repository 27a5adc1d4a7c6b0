/** Skips ever more turns while turns bring nothing: 1, 3, 7, … up to `mostSkipped`. */
export interface Backoff {
  /** Asked once a turn; true: leave this one out. */
  skips(): boolean;
  note(turn: "progress" | "no-progress"): void;
}

export function createBackoff(mostSkipped: number): Backoff {
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
      toSkip = turn === "progress" ? 0 : Math.min(2 ** fruitless - 1, mostSkipped);
    },
  };
}
