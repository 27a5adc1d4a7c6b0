/** How a receiver answers. */
export interface Behaviour {
  /** `refusing`: 503; `closed`: its port refuses connections; `hanging`: it takes a request and never answers. */
  readonly manner: "up" | "refusing" | "closed" | "hanging";
  /** What each answer takes. */
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
