import type { EmulatorContext } from "../context.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { accept } from "../check-input.ts";
import type { Operation } from "../journal.ts";
import {
  faultSchema,
  type FaultDefinition,
  type FaultKind,
  type FaultState,
  type ParsedFault,
} from "./fault-schema.ts";

interface Active {
  readonly definition: ParsedFault;
  readonly name: string;
  fired: number;
  readonly held: Set<(how: Release) => void>;
}

/** "ended": the emulator was reset or closed, so the request must leave no trace. */
export type Release = "released" | "ended";

export type FaultOf<K extends FaultKind> = Extract<ParsedFault, { kind: K }>;

/** A fault that fires now, for one request. */
interface Firing<K extends FaultKind> {
  readonly fault: FaultOf<K>;
  /** Holds the request back: until released or removed, or for the given real milliseconds. */
  hold(forMs: number | undefined): Promise<Release>;
  between(low: number, high: number): number;
}

export class Faults {
  readonly #context: EmulatorContext;
  readonly #active = new Map<string, Active>();
  #made = 0;

  constructor(context: EmulatorContext) {
    this.#context = context;
  }

  /** Adds a fault and returns its name; refuses a definition that makes no sense and a name that is taken. */
  add(given: FaultDefinition): string;
  add(given: unknown): string;
  add(given: unknown): string {
    const definition = accept(faultSchema, given, "fault");
    const name = definition.name ?? `${definition.kind}-${++this.#made}`;
    if (this.#active.has(name)) throw new EmulatorRefusal(409, `there is already a fault named ${name}`);
    this.#active.set(name, { definition, name, fired: 0, held: new Set() });
    return name;
  }

  list(): FaultState[] {
    return [...this.#active.values()].map(({ definition, name, fired, held }) => ({
      ...definition,
      name,
      fired,
      held: held.size,
    }));
  }

  release(name: string): boolean {
    const active = this.#active.get(name);
    for (const letGo of active?.held ?? []) letGo("released");
    return active !== undefined;
  }

  remove(name: string): boolean {
    this.release(name);
    return this.#active.delete(name);
  }

  /** Ends all faults; the requests they hold back are hung up on instead of going on. */
  clear(): void {
    const ended = [...this.#active.values()];
    this.#active.clear();
    for (const { held } of ended) for (const letGo of held) letGo("ended");
  }

  /** The first fault of this kind that fires for this request, if any; firing uses it up by one. */
  draw<K extends FaultKind>(
    kind: K,
    operation: Operation,
    concerns: (fault: FaultOf<K>) => boolean = () => true,
  ): Firing<K> | undefined {
    for (const active of this.#active.values()) {
      const { definition } = active;
      if (definition.kind !== kind) continue;
      const fault = definition as FaultOf<K>;
      if (definition.operation !== "any" && definition.operation !== operation) continue;
      if (definition.count !== undefined && active.fired >= definition.count) continue;
      if (!concerns(fault)) continue;
      if (definition.probability !== undefined && this.#context.settings.random() >= definition.probability)
        continue;
      active.fired++;
      this.#context.journal.add({ type: "fault", name: active.name, kind, operation });
      return {
        fault,
        hold: (forMs) => hold(active, forMs),
        between: (low, high) => low + (high - low) * this.#context.settings.random(),
      };
    }
    return undefined;
  }
}

function hold(active: Active, forMs: number | undefined): Promise<Release> {
  return new Promise((resolve) => {
    const letGo = (how: Release): void => {
      clearTimeout(timer);
      active.held.delete(letGo);
      resolve(how);
    };
    const timer = forMs === undefined ? undefined : setTimeout(() => letGo("released"), forMs);
    active.held.add(letGo);
  });
}
