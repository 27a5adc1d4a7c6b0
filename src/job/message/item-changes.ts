import type { JsonValue } from "./json-value.ts";

export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

export type BodyChange =
  | { readonly kind: "merge"; readonly value: JsonValue }
  | { readonly kind: "patch"; readonly operations: readonly PatchOperation[] };

/** Changes of a republish to the rebuilt item. Absent = as the original. */
export interface ItemChanges {
  readonly destination?: string | DestinationRewrite;
  readonly queue?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: BodyChange;
  readonly delay?:
    | { readonly kind: "fixed"; readonly ms: number }
    | { readonly kind: "spread"; readonly ms: number };
  readonly retries?: number;
  /** The service's expression in ms over `retried`; `null` removes it. */
  readonly retryDelay?: string | null;
  readonly timeoutMs?: number;
  /** `null` removes it. */
  readonly callback?: string | null;
  readonly failureCallback?: string | null;
  readonly labels?: readonly string[];
  /** `null` removes it. */
  readonly flowControl?: FlowControl | null;
}

/** At least one of parallelism and rate. */
export interface FlowControl {
  readonly key: string;
  readonly parallelism?: number;
  readonly rate?: number;
  readonly periodMs?: number;
}

/** Replaced parts of the destination URL; the others stay. `host` may carry a port. */
export interface DestinationRewrite {
  readonly scheme?: "http" | "https";
  readonly host?: string;
  readonly path?: string;
}
