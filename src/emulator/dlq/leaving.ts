/** Records that are deleted and still listed for a while: what a listing that lags behind deletes shows. */
export class Leaving {
  readonly #goneAt = new Map<string, number>();

  get size(): number {
    return this.#goneAt.size;
  }

  has(dlqId: string): boolean {
    return this.#goneAt.has(dlqId);
  }

  add(dlqIds: readonly string[], goneAt: number): void {
    for (const dlqId of dlqIds) this.#goneAt.set(dlqId, goneAt);
  }

  forget(dlqIds: readonly string[]): void {
    for (const dlqId of dlqIds) this.#goneAt.delete(dlqId);
  }

  dueAt(now: number): string[] {
    return [...this.#goneAt].filter(([, goneAt]) => goneAt <= now).map(([dlqId]) => dlqId);
  }

  clear(): void {
    this.#goneAt.clear();
  }
}
