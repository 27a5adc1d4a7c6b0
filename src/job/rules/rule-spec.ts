import type { ItemChanges } from "../message/item-changes.ts";

/** The rule language as plain data. Values with a grammar of their own are parsed in patterns/. */

/** With the kind of text: an address, a path or a body may contain secrets. */
export const textFields = {
  dlqId: "name",
  messageId: "name",
  url: "address",
  host: "name",
  path: "path",
  topicName: "name",
  endpointName: "name",
  queueName: "name",
  label: "name",
  method: "name",
  scheduleId: "name",
  callback: "address",
  failureCallback: "address",
  flowControlKey: "name",
  retryDelayExpression: "name",
  body: "body",
  bodyBase64: "body",
  responseBody: "body",
  responseBodyBase64: "body",
} as const;
export type TextField = keyof typeof textFields;
/** Fields with number values. `size` is the body's bytes; `createdAt` and `notBefore` are Unix ms. */
export type NumberField =
  | "responseStatus"
  | "attempt"
  | "size"
  | "maxRetries"
  | "rate"
  | "period"
  | "parallelism"
  | "createdAt"
  | "notBefore";
/** Spans in ms: since it entered the DLQ; since its root message was created; until its retention ends. */
export type DurationField = "age" | "messageAge" | "timeLeft";
export type BodyField = "body" | "responseBody";

/** `some`: any value, the field is there. `none`: it is absent. */
export type Presence = { readonly kind: "some" } | { readonly kind: "none" };

/** A glob's `*` is any run of characters; a regex is an RE2 expression, found anywhere in the text. */
export type TextPattern =
  | { readonly kind: "exact"; readonly value: string }
  | { readonly kind: "glob"; readonly pattern: string }
  | { readonly kind: "prefix"; readonly value: string }
  | { readonly kind: "suffix"; readonly value: string }
  | { readonly kind: "regex"; readonly source: string }
  | Presence;

export interface NumberRange {
  readonly kind: "range";
  readonly from: number;
  readonly to: number;
}
export type NumberPattern = NumberRange | Presence;

/** One pattern for an IP address: a network of `bits` (an address alone has all of them). */
export type AddressPattern =
  | { readonly kind: "network"; readonly address: string; readonly bits: number }
  | Presence;

/** Ends are inclusive or exclusive, because JSON numbers need not be whole. */
export interface DecimalRange {
  readonly kind: "number";
  readonly from: number;
  readonly to: number;
  readonly openFrom: boolean;
  readonly openTo: boolean;
  /** The ends as they are written, if no double has their value. */
  readonly fromText?: string;
  readonly toText?: string;
}

export type HeaderPattern = TextPattern | DecimalRange;

export type ValuePattern =
  | { readonly kind: "text"; readonly pattern: Exclude<TextPattern, Presence> }
  | DecimalRange
  | { readonly kind: "literal"; readonly value: boolean | null }
  | Presence;

/** Lists are or; keys of one `when` are and (`all`). */
export type Condition =
  | { readonly kind: "any" }
  | { readonly kind: "all"; readonly of: readonly Condition[] }
  | { readonly kind: "some"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "text"; readonly field: TextField; readonly oneOf: readonly TextPattern[] }
  | {
      readonly kind: "header";
      readonly of: "request" | "response";
      readonly name: string;
      readonly oneOf: readonly HeaderPattern[];
    }
  | { readonly kind: "number"; readonly field: NumberField; readonly oneOf: readonly NumberPattern[] }
  | { readonly kind: "duration"; readonly field: DurationField; readonly oneOf: readonly NumberPattern[] }
  | { readonly kind: "address"; readonly field: "callerIp"; readonly oneOf: readonly AddressPattern[] }
  | {
      readonly kind: "value";
      readonly field: BodyField;
      /** RFC 6901, as written: `/tenant`, `/items/0/id`, `` for the whole. */
      readonly pointer: string;
      readonly oneOf: readonly ValuePattern[];
    }
  | {
      /** A newer letter waits: of the same schedule, or with the same value at this pointer into the body. */
      readonly kind: "superseded";
      readonly field: "superseded";
      /** Null: of the same schedule. */
      readonly pointer: string | null;
      readonly oneOf: readonly [{ readonly kind: "some" }];
    };

export type Leaf = Exclude<Condition, { readonly kind: "any" | "all" | "some" | "not" }>;

export type Action = "republish" | "drop" | "hold" | "park";

/** `count` in any span of `perMs`. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

export interface RuleSpec {
  readonly name: string;
  readonly when: Condition;
  readonly then: Action;
  readonly set?: ItemChanges;
  readonly via?: "service";
  readonly limit?: Rate;
  /** Unix ms after which the rule is skipped. */
  readonly ignoreAfter?: number;
}

export function leavesOf(condition: Condition): readonly Leaf[] {
  if (condition.kind === "all" || condition.kind === "some") return condition.of.flatMap(leavesOf);
  if (condition.kind === "not") return leavesOf(condition.of);
  return condition.kind === "any" ? [] : [condition];
}

/** What a condition compares letters by; also below a `not`. */
export function comparedBy(condition: Condition): readonly (string | null)[] {
  return leavesOf(condition).flatMap((leaf) => (leaf.kind === "superseded" ? [leaf.pointer] : []));
}

/** True if that rule names this response status itself, not by a range or class with it. */
export function asksForStatus(rules: readonly RuleSpec[], name: string | null, status: number): boolean {
  const rule = rules.find((candidate) => candidate.name === name);
  return rule !== undefined && names(rule.when, status);
}

function names(condition: Condition, status: number): boolean {
  if (condition.kind === "all" || condition.kind === "some") {
    return condition.of.some((inner) => names(inner, status));
  }
  if (condition.kind !== "number" || condition.field !== "responseStatus") return false;
  return condition.oneOf.some((one) => one.kind === "range" && one.from === status && one.to === status);
}
