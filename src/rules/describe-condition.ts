import { formatDuration } from "./format-duration.ts";
import type { Condition, NumberPattern, TextField, TextPattern } from "./spec.ts";
import type { Subject } from "./subject.ts";

/** A condition in the words of the document. */
export function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case "any":
      return "any";
    case "all":
      return `all (${condition.of.map(describeCondition).join("; ")})`;
    case "some":
      return `any of (${condition.of.map(describeCondition).join("; ")})`;
    case "not":
      return `not (${describeCondition(condition.of)})`;
    case "text":
      return `${condition.field} ${describeTexts(condition.oneOf)}`;
    case "header":
      return `header ${condition.name} ${describeTexts(condition.oneOf)}`;
    case "number":
      return `${condition.field} ${describeNumbers(condition.oneOf, String)}`;
    case "duration":
      return `${condition.field} ${describeNumbers(condition.oneOf, formatDuration)}`;
  }
}

/**
 * What the record has where a leaf condition looks. Header values, URLs and paths can hold secrets, so only their presence
 * is told.
 */
export function describeActual(condition: Condition, subject: Subject): string {
  switch (condition.kind) {
    case "text":
      return describeValues(subject.texts(condition.field), isSecretive(condition.field));
    case "header":
      return describeValues(subject.header(condition.name), true);
    case "number":
      return String(subject.number(condition.field) ?? "none");
    case "duration":
      return formatDuration(subject.durationMs(condition.field));
    case "any":
    case "all":
    case "some":
    case "not":
      return "";
  }
}

function isSecretive(field: TextField): boolean {
  return field === "url" || field === "path";
}

function describeValues(values: readonly string[], secretive: boolean): string {
  if (values.length === 0) return "none";
  return secretive ? "another" : values.map((value) => JSON.stringify(value)).join(", ");
}

function describeTexts(oneOf: readonly TextPattern[]): string {
  return describeList(
    oneOf.map((pattern) => {
      switch (pattern.kind) {
        case "exact":
          return JSON.stringify(pattern.value);
        case "glob":
          return JSON.stringify(pattern.pattern);
        case "none":
          return "none";
      }
    }),
  );
}

function describeNumbers(oneOf: readonly NumberPattern[], format: (value: number) => string): string {
  return describeList(
    oneOf.map((pattern) => {
      if (pattern.kind === "none") return "none";
      const { from, to } = pattern;
      if (from === to) return format(from);
      if (!Number.isFinite(from)) return Number.isFinite(to) ? `up to ${format(to)}` : "any number";
      return Number.isFinite(to) ? `${format(from)}-${format(to)}` : `from ${format(from)}`;
    }),
  );
}

function describeList(patterns: readonly string[]): string {
  return patterns.length === 1 ? `is ${patterns[0]}` : `is one of ${patterns.join(", ")}`;
}
