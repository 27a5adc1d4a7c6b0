import { BlockList } from "node:net";
import type { JsonValue } from "../message/json-value.ts";
import { parsePointer } from "../message/json-pointer.ts";
import { parseIpAddress, type IpAddress } from "./patterns/ip-address-patterns.ts";
import { compileDecimalRange, toDecimalText } from "./patterns/decimal-ranges.ts";
import { compileText, type Matching } from "./patterns/compile-text.ts";
import { compileHost, compilePath } from "./patterns/host-and-path-tests.ts";
import type {
  Condition,
  AddressPattern,
  BodyField,
  HeaderPattern,
  NumberPattern,
  TextField,
  TextPattern,
  ValuePattern,
} from "./rule-spec.ts";
import type { Subject } from "./subject.ts";

export function compileCondition(condition: Condition): (subject: Subject) => boolean {
  switch (condition.kind) {
    case "any":
      return () => true;
    case "all":
    case "some": {
      const tests = condition.of.map(compileCondition);
      const decisive = condition.kind === "some";
      return (subject) => {
        for (const matches of tests) if (matches(subject) === decisive) return decisive;
        return !decisive;
      };
    }
    case "not": {
      const matches = compileCondition(condition.of);
      return (subject) => !matches(subject);
    }
    case "text": {
      const { field, oneOf } = condition;
      if (field === "host") return compileForms(oneOf, compileHost, (subject) => subject.host());
      if (field === "path") return compileForms(oneOf, compilePath, (subject) => subject.path());
      const matches = compileTexts(oneOf, field);
      return (subject) => matches(subject.texts(field));
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
      const { field } = condition;
      const names = parsePointer(condition.pointer);
      // A text that is no pointer has no value.
      if (names === null) return () => condition.oneOf.some(({ kind }) => kind === "none");
      return compileValues(condition.oneOf, field, names);
    }
    case "superseded":
      return (subject) => subject.newer(condition.pointer) !== null;
  }
}

/** For an absent field (undefined) only `none` matches; any other value is tested, unless there is `some`. */
function whereThere<Value>(
  oneOf: readonly { readonly kind: string }[],
  matches: (value: Value) => boolean,
): (value: Value | undefined) => boolean {
  const none = oneOf.some(({ kind }) => kind === "none");
  const some = oneOf.some(({ kind }) => kind === "some");
  return (value) => (value === undefined ? none : some || matches(value));
}

function compileForms<Forms>(
  oneOf: readonly TextPattern[],
  compile: (pattern: Matching) => (forms: Forms) => boolean,
  formsOf: (subject: Subject) => Forms | undefined,
): (subject: Subject) => boolean {
  const tests = oneOf.flatMap((pattern) =>
    pattern.kind === "some" || pattern.kind === "none" ? [] : [compile(pattern)],
  );
  const matches = whereThere<Forms>(oneOf, (forms) => {
    for (const test of tests) if (test(forms)) return true;
    return false;
  });
  return (subject) => matches(formsOf(subject));
}

/** True if any value matches; a field without values is absent. Methods are written in upper case. */
function compileTexts(
  oneOf: readonly HeaderPattern[],
  field?: TextField,
): (values: readonly string[]) => boolean {
  const spelled = (text: string): string => (field === "method" ? text.toUpperCase() : text);
  const exact = new Set(
    oneOf.flatMap((pattern) => (pattern.kind === "exact" ? [spelled(pattern.value)] : [])),
  );
  const tests = oneOf.flatMap((pattern) => compileOther(pattern, spelled) ?? []);
  const matchesAny = whereThere<readonly string[]>(oneOf, (values) => {
    for (const value of values) {
      if (exact.has(value)) return true;
      for (const matches of tests) if (matches(value)) return true;
    }
    return false;
  });
  return (values) => matchesAny(values.length === 0 ? undefined : values);
}

function compileOther(
  pattern: HeaderPattern,
  spelled: (text: string) => string,
): ((text: string) => boolean) | null {
  if (pattern.kind === "some" || pattern.kind === "none" || pattern.kind === "exact") return null;
  if (pattern.kind !== "number") return compileText(pattern, spelled);
  const isIn = compileDecimalRange(pattern);
  return (text) => {
    const digits = toDecimalText(text);
    return digits !== null && isIn(Number(digits), () => digits);
  };
}

export function compileNumbers(oneOf: readonly NumberPattern[]): (value: number | undefined) => boolean {
  const ranges = oneOf.filter((pattern) => pattern.kind === "range");
  return whereThere(oneOf, (value: number) => {
    for (const { from, to } of ranges) if (from <= value && value <= to) return true;
    return false;
  });
}

/** A text that is no address (null) is there, but in no network. */
function compileAddresses(
  oneOf: readonly AddressPattern[],
): (address: IpAddress | null | undefined) => boolean {
  // A list of its own for each family: a list compares addresses of one with networks of the other.
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const pattern of oneOf) {
    const network = pattern.kind === "network" ? parseIpAddress(pattern.address) : null;
    if (pattern.kind !== "network" || network === null) continue;
    networks[network.family].addSubnet(network.address, pattern.bits, network.family);
  }
  return whereThere(
    oneOf,
    (address: IpAddress | null) =>
      address !== null && networks[address.family].check(address.address, address.family),
  );
}

function compileValues(
  oneOf: readonly ValuePattern[],
  field: BodyField,
  names: readonly string[],
): (subject: Subject) => boolean {
  const digitsOf = (subject: Subject, value: number) => () => subject.numberText(field, names, value);
  const tests = oneOf.flatMap((pattern) => compileValue(pattern, digitsOf) ?? []);
  const none = oneOf.some(({ kind }) => kind === "none");
  const some = oneOf.some(({ kind }) => kind === "some");
  return (subject) => {
    const value = subject.value(field, names);
    if (value === undefined) return none;
    return some || tests.some((matches) => matches(value, subject));
  };
}

function compileValue(
  pattern: ValuePattern,
  digitsOf: (subject: Subject, value: number) => () => string,
): ((value: JsonValue, subject: Subject) => boolean) | null {
  switch (pattern.kind) {
    case "literal":
      return (value) => value === pattern.value;
    case "number": {
      const isIn = compileDecimalRange(pattern);
      return (value, subject) => typeof value === "number" && isIn(value, digitsOf(subject, value));
    }
    case "text": {
      const matches = compileTexts([pattern.pattern]);
      return (value) => typeof value === "string" && matches([value]);
    }
    case "some":
    case "none":
      return null;
  }
}
