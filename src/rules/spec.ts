/**
 * The rule language as plain data: what a drains document says after parsing and before compiling.
 * Values that need a grammar of their own (numbers, durations, globs) are parsed by parse-numbers.ts, parse-durations.ts and parse-texts.ts.
 */

/** Fields of a record, or derived from it, that hold text. `method` is compared in upper case. */
export type TextField = "url" | "host" | "path" | "topicName" | "queueName" | "label" | "method";
/** Fields that hold a number. */
export type NumberField = "responseStatus" | "attempt";
/** Fields that hold a span of time in ms: since it entered the DLQ; since its root message was created. */
export type DurationField = "age" | "messageAge";

/** One pattern for text. An exact value, or a glob where `*` is any run of characters. */
export type TextPattern =
  | { readonly kind: "exact"; readonly value: string }
  | { readonly kind: "glob"; readonly pattern: string }
  | { readonly kind: "none" };

/** One pattern for a number: an inclusive range (ends may be infinite), or `none` for an absent field. */
export type NumberPattern =
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "none" };

/** Lists are or; keys of one `when` are and (`all`). */
export type Condition =
  | { readonly kind: "any" }
  | { readonly kind: "all"; readonly of: readonly Condition[] }
  | { readonly kind: "some"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "text"; readonly field: TextField; readonly oneOf: readonly TextPattern[] }
  | { readonly kind: "header"; readonly name: string; readonly oneOf: readonly TextPattern[] }
  | { readonly kind: "number"; readonly field: NumberField; readonly oneOf: readonly NumberPattern[] }
  | { readonly kind: "duration"; readonly field: DurationField; readonly oneOf: readonly NumberPattern[] };

export type Action = "republish" | "drop" | "hold" | "park";

/** What a republish changes on the rebuilt item. Absent = as the original. */
export interface ItemChanges {
  readonly destination?: string | DestinationRewrite;
  readonly queue?: string;
  /** Name to value; `null` removes the header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly delay?:
    | { readonly kind: "fixed"; readonly ms: number }
    | { readonly kind: "spread"; readonly ms: number };
  readonly retries?: number;
}

/** Parts of the destination URL that are replaced; the rest stays. `host` may carry a port. */
export interface DestinationRewrite {
  readonly scheme?: "http" | "https";
  readonly host?: string;
  readonly path?: string;
}

export interface RuleSpec {
  readonly name: string;
  readonly when: Condition;
  readonly then: Action;
  readonly set?: ItemChanges;
  /** Unix ms after which the rule is skipped. */
  readonly ignoreAfter?: number;
}
