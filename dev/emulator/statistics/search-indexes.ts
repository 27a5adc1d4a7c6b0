import { refuseParameters } from "../http/parse-body-and-query.ts";
import { EmulatorRefusal } from "../refusal.ts";
import {
  indexStatistics,
  isPeriod,
  periodNames,
  type BacklogPlan,
  type IndexValues,
  type Period,
} from "./index-statistics-answer.ts";
import { backlog, workloadOf, type SteeredBacklog, type Workload } from "./scripted-index-load.ts";

interface Index {
  readonly values: IndexValues;
  readonly steered: SteeredBacklog | undefined;
}

export class SearchIndexes {
  readonly #indexes = new Map<string, Index>();

  constructor(ids: readonly string[]) {
    for (const id of ids) this.#change(id, {});
  }

  ids(): string[] {
    return [...this.#indexes.keys()];
  }

  find(id: string): Index | undefined {
    return this.#indexes.get(id);
  }

  /** Makes the index if there is none; the given values replace those of the script until set anew. */
  put(id: string, values: IndexValues): void {
    this.#change(id, { values });
  }

  /** From now on the backlog goes as planned. Makes the index if there is none. */
  steer(id: string, plan: BacklogPlan, now: number): SteeredBacklog {
    const steered = {
      sinceMs: now,
      from: plan.from ?? backlog(this.#workload(id), now),
      perSecond: plan.perSecond,
      to: plan.to ?? (plan.perSecond < 0 ? 0 : Number.MAX_SAFE_INTEGER),
    };
    this.#change(id, { steered });
    return steered;
  }

  /** Back to the scripted backlog. */
  unsteer(id: string): boolean {
    if (this.#indexes.get(id)?.steered === undefined) return false;
    this.#change(id, { steered: undefined });
    return true;
  }

  remove(id: string): boolean {
    return this.#indexes.delete(id);
  }

  statistics(id: string, query: URLSearchParams, now: number): Record<string, unknown> {
    const index = this.#indexes.get(id);
    if (index === undefined) throw new EmulatorRefusal(404, `index not found: ${id}`);
    return indexStatistics(this.#workload(id), periodOf(query), now, index.values);
  }

  #change(id: string, change: Partial<Index>): void {
    this.#indexes.set(id, { values: {}, steered: undefined, ...this.#indexes.get(id), ...change });
  }

  #workload(id: string): Workload {
    return workloadOf(id, this.#indexes.get(id)?.steered);
  }
}

/** An empty value counts as not given. */
function periodOf(query: URLSearchParams): Period {
  refuseParameters(query, ["period"], ["period"]);
  const period = query.get("period") || "1h";
  if (!isPeriod(period)) throw new EmulatorRefusal(400, `period must be one of ${periodNames.join(", ")}`);
  return period;
}
