/** What is not as promised, a sentence. */
export interface Violation {
  readonly what: string;
  /** A case that missed nothing else is tried once more, alone. */
  readonly mayTryAgain: boolean;
}

export function broken(what: string): Violation {
  return { what, mayTryAgain: false };
}

/** A time that a busy machine can miss, or a case that nobody could judge. */
export function late(what: string): Violation {
  return { what, mayTryAgain: true };
}
