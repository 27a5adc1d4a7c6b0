import type { Findings, Objection } from "./check-exchange.ts";

/** An objection that is right to be there. */
export interface KnownObjection extends Pick<Objection, "operation" | "where" | "at" | "what"> {
  readonly reason: string;
  /** The document that redriver or its emulator follows here. */
  readonly wins: Winner;
}

/**
 * `interface`: service-interface.md, and the section of it. `official client`: what the vendor's own client
 * sends or reads. `vendor's pages`: what its other pages say. `emulator`: no document speaks of it, and tests
 * of a client need it.
 */
export type Winner = `interface ${string}` | "official client" | "vendor's pages" | "emulator";

export interface Row extends Objection {
  readonly count: number;
  readonly known: KnownObjection | undefined;
}

export interface Tally {
  add(findings: Findings): void;
  /** The same objection once, in the order of operations. */
  rows(): readonly Row[];
  /** Of those that are known, what nothing needs. */
  unneeded(): readonly KnownObjection[];
  /** `POST /v2/batch: header Upstash-Delay` and how often it was there. */
  seen(): ReadonlyMap<string, number>;
  /** Exchanges by operation. */
  exchanges(): ReadonlyMap<string, number>;
}

const keyOf = ({
  operation,
  where,
  at,
  what,
}: Pick<Objection, "operation" | "where" | "at" | "what">): string =>
  JSON.stringify([operation, where, at, what]);

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

export function createTally(known: readonly KnownObjection[]): Tally {
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  if (byKey.size < known.length) throw new Error("an objection is known twice");
  const rows = new Map<string, Row>();
  const seen = new Map<string, number>();
  const exchanges = new Map<string, number>();
  return {
    add({ operation, objections, seen: there }) {
      count(exchanges, operation);
      for (const one of there) count(seen, `${operation}: ${one}`);
      for (const objection of objections) {
        const key = keyOf(objection);
        const before = rows.get(key);
        rows.set(key, { ...(before ?? objection), count: (before?.count ?? 0) + 1, known: byKey.get(key) });
      }
    },
    rows: () => [...rows.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    unneeded: () => known.filter((one) => !rows.has(keyOf(one))),
    seen: () => seen,
    exchanges: () => exchanges,
  };
}
