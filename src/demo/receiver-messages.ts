import type { ReceiverPort } from "./receiver.ts";

/** What demo and receiver process say to each other over their channel. */
export type ReceiverQuestion =
  | { readonly ask: "open" | "totals" | "report" }
  | { readonly ask: "fail" | "recover"; readonly port: ReceiverPort };

export type ToReceiver = ReceiverQuestion & { readonly seq: number };

export type FromReceiver =
  | { readonly kind: "ready"; readonly steadyUrl: string; readonly flakyUrl: string }
  | { readonly kind: "answer"; readonly seq: number; readonly answer: unknown }
  | { readonly kind: "failed"; readonly seq: number; readonly why: string };
