/** So many single refusals in a row halt a source. */
export const refusalsThatHalt = 10;

/**
 * Since a POST of this source was last in doubt: it may have been accepted, so these do not show a refusal of all.
 */
export class RefusalsInARow {
  /** Without a POST in doubt so far, the ledger's count of the source decides alone. */
  #length = Number.POSITIVE_INFINITY;

  refusedAlone(): void {
    this.#length += 1;
  }

  inDoubt(): void {
    this.#length = 0;
  }

  areEnoughToHalt(): boolean {
    return this.#length >= refusalsThatHalt;
  }
}
