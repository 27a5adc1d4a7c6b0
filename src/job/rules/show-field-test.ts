import { readComparison } from "./patterns/lookalikes.ts";
import { isThere, writeNumber, type NumberUnit } from "./patterns/write-number-patterns.ts";
import {
  textFields,
  type AddressPattern,
  type DecimalRange,
  type Leaf,
  type TextField,
  type TextPattern,
  type ValuePattern,
} from "./rule-spec.ts";

export interface ShownFieldTest {
  /** The key of its field; for headers also the name, for values the pointer. */
  readonly keys: readonly [string] | readonly [string, string];
  readonly oneOf: readonly unknown[];
}

/** Patterns for header values and texts in bodies, and queries in addresses, are written as "[set]": they may be secrets. */
export function showFieldTest(test: Leaf): ShownFieldTest {
  switch (test.kind) {
    case "text": {
      const shown = shownOf(test.field);
      return { keys: [test.field], oneOf: test.oneOf.map((pattern) => writeText(pattern, shown)) };
    }
    case "header": {
      const key = test.of === "request" ? "header" : "responseHeader";
      return {
        keys: [key, test.name],
        oneOf: test.oneOf.map((pattern) =>
          pattern.kind === "number" ? writeDecimals(pattern) : writeText(pattern, "nothing"),
        ),
      };
    }
    case "number":
    case "duration":
      return { keys: [test.field], oneOf: test.oneOf.map((pattern) => writeNumber(pattern, unitOf(test))) };
    case "address":
      return { keys: [test.field], oneOf: test.oneOf.map(writeAddress) };
    case "value":
      return { keys: [test.field, test.pointer], oneOf: test.oneOf.map(writeValue) };
    case "superseded":
      return { keys: [test.field], oneOf: [test.pointer === null ? true : { body: test.pointer }] };
  }
}

const masked = "[set]";

type Shown = "all" | "all but the query" | "nothing";

function shownOf(field: TextField): Shown {
  const content = textFields[field];
  if (content === "address") return "all but the query";
  return content === "body" ? "nothing" : "all";
}

function writeText(pattern: TextPattern, shown: Shown): unknown {
  if (pattern.kind === "none") return "none";
  if (pattern.kind === "some") return isThere;
  if (shown === "nothing") return masked;
  const start = (text: string) => (shown === "all" ? text : maskQuery(text));
  const anywhere = (text: string) => (shown === "all" ? text : masked);
  switch (pattern.kind) {
    case "exact":
      return isPlain(pattern.value) ? start(pattern.value) : { equals: start(pattern.value) };
    case "glob":
      return start(pattern.pattern);
    case "prefix":
      return { prefix: start(pattern.value) };
    case "suffix":
      return { suffix: anywhere(pattern.value) };
    case "regex":
      return { regex: anywhere(pattern.source) };
  }
}

function isPlain(text: string): boolean {
  return text !== "" && text !== "none" && !text.includes("*") && readComparison(text) === null;
}

function unitOf(test: Extract<Leaf, { kind: "number" | "duration" }>): NumberUnit {
  if (test.kind === "duration") return "duration";
  return test.field === "createdAt" || test.field === "notBefore" ? "moment" : "count";
}

function writeAddress(pattern: AddressPattern): unknown {
  if (pattern.kind === "none") return "none";
  if (pattern.kind === "some") return isThere;
  return `${pattern.address}/${pattern.bits}`;
}

function writeValue(pattern: ValuePattern): unknown {
  switch (pattern.kind) {
    case "none":
      return "none";
    case "some":
      return isThere;
    case "literal":
      return pattern.value;
    case "text":
      return writeText(pattern.pattern, "nothing");
    case "number":
      return writeDecimals(pattern);
  }
}

function writeDecimals({ from, to, openFrom, openTo, fromText, toText }: DecimalRange): unknown {
  if (from === to && fromText === undefined) return from;
  const [low, high] = [fromText ?? String(from), toText ?? String(to)];
  if (low === "-Infinity") return `${openTo ? "<" : "<="} ${high}`;
  return high === "Infinity" ? `${openFrom ? ">" : ">="} ${low}` : { range: `${low}-${high}` };
}

/** An address or pattern with `[set]` in place of its query, which may have a key in it. */
export function maskQuery(address: string): string {
  const at = address.indexOf("?");
  return at === -1 ? address : `${address.slice(0, at)}?[set]`;
}
