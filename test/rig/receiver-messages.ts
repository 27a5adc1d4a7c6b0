/** How a receiver answers. `refusing`: 503; `closed`: its port refuses connections; `hanging`: it takes a request and never answers. */
export type Standing = "up" | "refusing" | "closed" | "hanging";

export const standings: readonly Standing[] = ["up", "refusing", "closed", "hanging"];

export interface Behaviour {
  readonly standing: Standing;
  /** Requests that it works off in a second, one after the other in their order; null: all at once. */
  readonly perSecond: number | null;
}

/** A request as the receiver saw it. Those that met a closed port are in no log. */
export interface Arrival {
  /** Unix ms at which it was answered; where it hung, at which it came. */
  readonly at: number;
  /** Of the body. */
  readonly id: string;
  /** 0: it hung. */
  readonly status: number;
  /** What its lineage says; `first`: it has none. */
  readonly sentAs: "canary" | "plain" | "first";
}

export interface ReceiverLog {
  readonly arrivals: readonly Arrival[];
}

/** What the receiver is asked over its channel, and answers. */
export type Asked =
  | { readonly ask: "behave"; readonly behaviour: Behaviour }
  | { readonly ask: "log"; readonly after: number };

export type ToReceiver = Asked & { readonly seq: number };

export type FromReceiver =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "answer"; readonly seq: number; readonly log: ReceiverLog };

/** A body of this programme: what begins with `poison` is refused with 422 by every receiver that is up, in words of its own. */
export const poisonPrefix = "poison";
export const refusalOf = (id: string): string => JSON.stringify({ error: `no such order: ${id}` });
