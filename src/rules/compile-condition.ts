import { parsePointer } from "../message/json-pointer.ts";
import {
  compileAddresses,
  compileNumbers,
  compileTexts,
  compileValues,
} from "./patterns/compile-patterns.ts";
import type { Condition } from "./spec.ts";
import type { Subject } from "./subject.ts";

export function compileCondition(condition: Condition): (subject: Subject) => boolean {
  switch (condition.kind) {
    case "any":
      return () => true;
    case "all": {
      const tests = condition.of.map(compileCondition);
      return (subject) => {
        for (const matches of tests) if (!matches(subject)) return false;
        return true;
      };
    }
    case "some": {
      const tests = condition.of.map(compileCondition);
      return (subject) => {
        for (const matches of tests) if (matches(subject)) return true;
        return false;
      };
    }
    case "not": {
      const matches = compileCondition(condition.of);
      return (subject) => !matches(subject);
    }
    case "text": {
      const matches = compileTexts(condition.oneOf, condition.field);
      return (subject) => matches(subject.texts(condition.field));
    }
    case "header": {
      const matches = compileTexts(condition.oneOf);
      const lowerName = condition.name.toLowerCase();
      return (subject) => matches(subject.header(condition.of, lowerName));
    }
    case "number": {
      const matches = compileNumbers(condition.oneOf);
      return (subject) => matches(subject.number(condition.field));
    }
    case "duration": {
      const matches = compileNumbers(condition.oneOf);
      return (subject) => matches(subject.durationMs(condition.field));
    }
    case "address": {
      const matches = compileAddresses(condition.oneOf);
      return (subject) => matches(subject.callerIp());
    }
    case "value": {
      const matches = compileValues(condition.oneOf);
      const names = parsePointer(condition.pointer);
      // A text that is no pointer has no value.
      return (subject) => matches(names === null ? undefined : subject.value(condition.field, names));
    }
  }
}
