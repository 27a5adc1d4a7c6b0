import { isObject, type JsonValue } from "../message/json-value.ts";
import { parsePointer } from "../message/json-pointer.ts";
import { compileCondition } from "./compile-condition.ts";
import type { RecordFacts } from "./record-facts.ts";
import { momentText } from "./patterns/write-number-patterns.ts";
import { showFieldTest } from "./show-field-test.ts";
import { formatDuration } from "./durations.ts";
import { type Condition, type RuleSpec, textFields, type Leaf } from "./rule-spec.ts";
import { Subject } from "./subject.ts";

/** The result of one rule. `ignored`: its ignoreAfter has passed; `not-reached`: a rule above decided. */
export interface RuleStep {
  readonly rule: string;
  readonly outcome: "held" | "failed" | "ignored" | "not-reached";
  /** In words; for `failed` the first sub-condition that did not match, and the record's value for it. */
  readonly why: string;
}

/** Walks the rules for a person. Names no header values, URLs or bodies of the record. */
export function explainRules(rules: readonly RuleSpec[], facts: RecordFacts): readonly RuleStep[] {
  const subject = new Subject(facts);
  let decided: string | null = null;
  return rules.map(({ name: rule, when, ignoreAfter }): RuleStep => {
    if (decided !== null) return { rule, outcome: "not-reached", why: `rule "${decided}" decided` };
    if (ignoreAfter !== undefined && facts.now > ignoreAfter) {
      return { rule, outcome: "ignored", why: `ignored after ${momentText(ignoreAfter)}` };
    }
    const miss = firstMiss(when, subject);
    if (miss !== null) return { rule, outcome: "failed", why: miss };
    decided = rule;
    return { rule, outcome: "held", why: describeCondition(when) };
  });
}

function firstMiss(condition: Condition, subject: Subject): string | null {
  if (compileCondition(condition)(subject)) return null;
  if (condition.kind === "all") {
    return condition.of.reduce<string | null>((miss, inner) => miss ?? firstMiss(inner, subject), null);
  }
  if (condition.kind === "some") {
    return `none of (${condition.of.map((inner) => firstMiss(inner, subject)).join("; ")})`;
  }
  const words = describeCondition(condition);
  if (condition.kind === "not" || condition.kind === "any") return `${words}, but that matches`;
  return `${words}, but the record has ${describeActual(condition, subject)}`;
}

export function describeCondition(condition: Condition): string {
  if (condition.kind === "any") return "any";
  if (condition.kind === "not") return `not (${describeCondition(condition.of)})`;
  if (condition.kind !== "all" && condition.kind !== "some") return describeTest(condition);
  const parts = condition.of.map(describeCondition).join("; ");
  return condition.kind === "all" ? `all (${parts})` : `any of (${parts})`;
}

function describeTest(test: Leaf): string {
  if (test.kind === "superseded") {
    return test.pointer === null ? "superseded" : `superseded by its body's ${JSON.stringify(test.pointer)}`;
  }
  const { keys, oneOf } = showFieldTest(test);
  const [field, name] = keys;
  const inside = name === undefined ? "" : ` ${test.kind === "value" ? JSON.stringify(name) : name}`;
  const words = oneOf.map((written) => toWords(written, test.kind === "text"));
  return `${field}${inside} is ${words.length === 1 ? "" : "one of "}${words.join(", ")}`;
}

function toWords(written: unknown, isText: boolean): string {
  const [[form, value] = []] = isObject(written) ? Object.entries(written) : [];
  if (form === "exists") return "there";
  if (form === "equals") return JSON.stringify(value);
  if (form !== undefined) return `${form} ${toWords(value, isText)}`;
  return isText && written !== "none" && written !== "[set]" ? JSON.stringify(written) : String(written);
}

/** Bodies, header values, URLs and paths can contain secrets: only their presence or type is shown. */
function describeActual(condition: Leaf, subject: Subject): string {
  switch (condition.kind) {
    case "text":
      return describeFound(subject.texts(condition.field), textFields[condition.field] !== "name");
    case "header":
      return describeFound(subject.header(condition.of, condition.name.toLowerCase()), true);
    case "number": {
      const value = subject.number(condition.field);
      if (value === undefined) return "none";
      const isMoment = condition.field === "createdAt" || condition.field === "notBefore";
      return isMoment ? momentText(value) : String(value);
    }
    case "duration":
      return formatDuration(subject.durationMs(condition.field));
    case "address": {
      const address = subject.callerIp();
      return address === undefined ? "none" : address === null ? "no IP address" : "another";
    }
    case "value": {
      const names = parsePointer(condition.pointer);
      return describeType(names === null ? undefined : subject.value(condition.field, names));
    }
    case "superseded":
      if (!subject.knowsNewer()) return "not been compared with others here";
      return subject.compared(condition.pointer) === undefined ? "none to compare" : "none newer";
  }
}

function describeFound(values: readonly string[], secretive: boolean): string {
  if (values.length === 0) return "none";
  return secretive ? "another" : values.map((value) => JSON.stringify(value)).join(", ");
}

function describeType(value: JsonValue | undefined): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (typeof value !== "object") return `another ${typeof value === "string" ? "text" : typeof value}`;
  return Array.isArray(value) ? "a list" : "a mapping";
}
