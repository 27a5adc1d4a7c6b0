import { compileGlob } from "./glob.ts";
import type { NumberPattern, TextField, TextPattern } from "./spec.ts";

/** Whether any of a field's values matches; `values` is empty when the field is absent, which only `none` matches. */
export type TextTest = (values: readonly string[]) => boolean;

/** Host patterns are compared in lower case and method patterns in upper case, as their fields are written. */
export function compileTexts(oneOf: readonly TextPattern[], field?: TextField): TextTest {
  const spelled = speller(field);
  const none = oneOf.some((pattern) => pattern.kind === "none");
  const exact = new Set(
    oneOf.flatMap((pattern) => (pattern.kind === "exact" ? [spelled(pattern.value)] : [])),
  );
  const globs = oneOf.flatMap((pattern) =>
    pattern.kind === "glob" ? [compileGlob(spelled(pattern.pattern))] : [],
  );
  return (values) =>
    values.length === 0
      ? none
      : values.some((value) => exact.has(value) || globs.some((matches) => matches(value)));
}

export function matchesNumber(oneOf: readonly NumberPattern[], value: number | undefined): boolean {
  return oneOf.some((pattern) => {
    switch (pattern.kind) {
      case "none":
        return value === undefined;
      case "range":
        return value !== undefined && pattern.from <= value && value <= pattern.to;
    }
  });
}

function speller(field: TextField | undefined): (text: string) => string {
  switch (field) {
    case "host":
      return (text) => text.toLowerCase();
    case "method":
      return (text) => text.toUpperCase();
    case "url":
    case "path":
    case "topicName":
    case "queueName":
    case "label":
    case undefined:
      return (text) => text;
  }
}
