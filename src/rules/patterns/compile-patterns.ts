import { BlockList } from "node:net";
import type { JsonValue } from "../../message/json-value.ts";
import type { AddressPattern, NumberPattern, TextField, TextPattern, ValuePattern } from "../spec.ts";
import { parseIpAddress, type IpAddress } from "./address-patterns.ts";
import { compileGlob } from "./glob.ts";
import { compileRegex } from "./regex.ts";

/** True if any value matches; `values` is empty for an absent field, which only `none` matches. */
export type TextTest = (values: readonly string[]) => boolean;
/** Undefined: absent, which only `none` matches. */
export type NumberTest = (value: number | undefined) => boolean;
export type ValueTest = (value: JsonValue | undefined) => boolean;
/** `null`: there, and no address. */
export type AddressTest = (address: IpAddress | null | undefined) => boolean;

/**
 * Host patterns are compared in lower case and method patterns in upper case, as their fields are written.
 */
export function compileTexts(oneOf: readonly TextPattern[], field?: TextField): TextTest {
  const spelled = field === "host" ? toLower : field === "method" ? toUpper : asIs;
  const none = oneOf.some((pattern) => pattern.kind === "none");
  if (oneOf.some((pattern) => pattern.kind === "some")) return (values) => values.length > 0 || none;
  const exact = new Set(
    oneOf.flatMap((pattern) => (pattern.kind === "exact" ? [spelled(pattern.value)] : [])),
  );
  const tests = oneOf.flatMap((pattern) => compileText(pattern, spelled) ?? []);
  return (values) => {
    if (values.length === 0) return none;
    for (const value of values) {
      if (exact.has(value)) return true;
      for (const matches of tests) if (matches(value)) return true;
    }
    return false;
  };
}

/** Null for the kinds that are not compiled one by one. */
function compileText(
  pattern: TextPattern,
  spelled: (text: string) => string,
): ((text: string) => boolean) | null {
  switch (pattern.kind) {
    case "glob":
      return compileGlob(spelled(pattern.pattern));
    case "prefix": {
      const prefix = spelled(pattern.value);
      return (text) => text.startsWith(prefix);
    }
    case "suffix": {
      const suffix = spelled(pattern.value);
      return (text) => text.endsWith(suffix);
    }
    case "regex":
      return compileRegex(pattern.source);
    case "exact":
    case "some":
    case "none":
      return null;
  }
}

export function compileNumbers(oneOf: readonly NumberPattern[]): NumberTest {
  const none = oneOf.some((pattern) => pattern.kind === "none");
  const some = oneOf.some((pattern) => pattern.kind === "some");
  const ranges = oneOf.flatMap((pattern) => (pattern.kind === "range" ? [pattern] : []));
  return (value) => {
    if (value === undefined) return none;
    if (some) return true;
    for (const { from, to } of ranges) if (from <= value && value <= to) return true;
    return false;
  };
}

export function compileAddresses(oneOf: readonly AddressPattern[]): AddressTest {
  const none = oneOf.some((pattern) => pattern.kind === "none");
  const some = oneOf.some((pattern) => pattern.kind === "some");
  // A list of its own for each family: a list compares addresses of one with networks of the other.
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const pattern of oneOf) {
    const network = pattern.kind === "network" ? parseIpAddress(pattern.address) : null;
    if (pattern.kind !== "network" || network === null) continue;
    networks[network.family].addSubnet(network.address, pattern.bits, network.family);
  }
  return (address) => {
    if (address === undefined) return none;
    if (some) return true;
    return address !== null && networks[address.family].check(address.address, address.family);
  };
}

export function compileValues(oneOf: readonly ValuePattern[]): ValueTest {
  const none = oneOf.some((pattern) => pattern.kind === "none");
  const tests = oneOf.flatMap((pattern) => (pattern.kind === "none" ? [] : [compileValue(pattern)]));
  return (value) => (value === undefined ? none : tests.some((matches) => matches(value)));
}

function compileValue(pattern: Exclude<ValuePattern, { kind: "none" }>): (value: JsonValue) => boolean {
  switch (pattern.kind) {
    case "some":
      return () => true;
    case "literal":
      return (value) => value === pattern.value;
    case "number":
      return (value) =>
        typeof value === "number" &&
        (pattern.openFrom ? pattern.from < value : pattern.from <= value) &&
        (pattern.openTo ? value < pattern.to : value <= pattern.to);
    case "text": {
      const matches = compileTexts([pattern.pattern]);
      return (value) => typeof value === "string" && matches([value]);
    }
  }
}

const asIs = (text: string): string => text;
const toLower = (text: string): string => text.toLowerCase();
const toUpper = (text: string): string => text.toUpperCase();
