/**
 * How a receiver answers. `refusing`: 503; `closed`: its port refuses connections; `hanging`: it takes a
 * request and never answers.
 */
export const manners = ["up", "refusing", "closed", "hanging"] as const;
export type Manner = (typeof manners)[number];

export interface Behaviour {
  readonly manner: Manner;
  /** Requests that it works off in a second, one after the other in their order; null: all at once. */
  readonly perSecond: number | null;
  /** What each answer takes, besides. */
  readonly delayMs: number;
}

/** A request as the receiver saw it. Those that met a closed port are in no log. */
export interface Arrival {
  /** Unix ms at which it was answered; if it hung, at which it came. */
  readonly at: number;
  /** Of the body. */
  readonly id: string;
  readonly bytes: number;
  readonly bodySha256: string;
  /** 0: it hung. */
  readonly status: number;
  /** What its lineage says; `first`: it has none. */
  readonly sentAs: "canary" | "plain" | "first";
}

/** Ids that begin so are refused with 422 by every receiver that is up, in words of its own. */
export const poisonPrefix = "poison";
export const refusalOf = (id: string): string => JSON.stringify({ error: `no such order: ${id}` });
