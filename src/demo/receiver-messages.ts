/** What demo and receiver process say to each other over their channel. */
export interface ToReceiver {
  readonly seq: number;
  readonly ask: "open" | "recover" | "totals" | "report";
}

export type FromReceiver =
  | { readonly kind: "ready"; readonly steadyUrl: string; readonly flakyUrl: string }
  | { readonly kind: "answer"; readonly seq: number; readonly answer: unknown }
  | { readonly kind: "failed"; readonly seq: number; readonly why: string };
