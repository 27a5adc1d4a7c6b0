import { json, type Answer } from "../http/exchange.ts";
import { Refusal } from "../refusal.ts";
import { indexStatistics, isPeriod, periodNames } from "./statistics.ts";

/** The search indexes there are, and what was set about them by hand. */
export class Indexes {
  readonly #initial: readonly string[];
  readonly #overrides = new Map<string, Readonly<Record<string, number>>>();

  constructor(ids: readonly string[]) {
    this.#initial = ids;
    this.clear();
  }

  ids(): string[] {
    return [...this.#overrides.keys()];
  }

  /** Makes the index if there is none; the given values replace those of the script until set anew. */
  put(id: string, overrides: Readonly<Record<string, number>>): void {
    this.#overrides.set(id, overrides);
  }

  remove(id: string): boolean {
    return this.#overrides.delete(id);
  }

  clear(): void {
    this.#overrides.clear();
    for (const id of this.#initial) this.#overrides.set(id, {});
  }

  statistics(id: string, query: URLSearchParams, now: number): Answer {
    const overrides = this.#overrides.get(id);
    if (overrides === undefined) throw new Refusal(404, `index not found: ${id}`);
    const period = query.get("period") || "1h";
    if (!isPeriod(period)) throw new Refusal(400, `period must be one of ${periodNames.join(", ")}`);
    return json(200, indexStatistics(id, period, now, overrides));
  }
}
