import { compileTexts } from "../patterns/compile-patterns.ts";
import type { Budget, Leaf } from "./covers.ts";
import { addressOf, isInNetwork } from "../patterns/ip-address.ts";
import { costOfRegex, endsOf, isText, longestTried, spelled } from "./pattern-covers.ts";
import type { AddressPattern, NumberPattern, TextField, TextPattern, ValuePattern } from "../spec.ts";

/**
 * Whether no record can fulfil both tests, because they ask one field for two things. False means "not proved". Labels and headers
 * may have several values at once, and a host is asked for with and without its port, so of these less is proved.
 */
export function areDisjoint(one: Leaf, other: Leaf, budget: Budget): boolean {
  switch (one.kind) {
    case "number":
    case "duration":
      return (
        other.kind === one.kind &&
        other.field === one.field &&
        noPair(one.oneOf, other.oneOf, numbersMeet, budget)
      );
    case "address":
      return other.kind === "address" && noPair(one.oneOf, other.oneOf, addressesMeet, budget);
    case "value":
      return (
        other.kind === "value" &&
        other.field === one.field &&
        other.pointer === one.pointer &&
        noPair(one.oneOf, other.oneOf, valuesMeet, budget)
      );
    case "header":
      return (
        other.kind === "header" &&
        other.of === one.of &&
        other.name.toLowerCase() === one.name.toLowerCase() &&
        noPair(one.oneOf, other.oneOf, presenceMeets, budget)
      );
    case "text":
      return (
        other.kind === "text" &&
        other.field === one.field &&
        noPair(one.oneOf, other.oneOf, meetIn(one.field), budget)
      );
  }
}

type Meet<Pattern> = (one: Pattern, other: Pattern, budget: Budget) => boolean;

/** Whether no pattern of the one list meets any of the other. */
function noPair<Pattern>(
  some: readonly Pattern[],
  others: readonly Pattern[],
  meet: Meet<Pattern>,
  budget: Budget,
): boolean {
  budget.left -= 1 + some.length * others.length;
  return budget.left > 0 && some.every((one) => others.every((other) => !meet(one, other, budget)));
}

interface Kinded {
  readonly kind: string;
}

/** What presence alone says; null where the values have to be looked at. */
function byPresence(one: Kinded, other: Kinded): boolean | null {
  if (one.kind === "none" || other.kind === "none") return one.kind === other.kind;
  return one.kind === "some" || other.kind === "some" ? true : null;
}

function presenceMeets(one: TextPattern, other: TextPattern): boolean {
  return byPresence(one, other) ?? true;
}

function numbersMeet(one: NumberPattern, other: NumberPattern): boolean {
  const known = byPresence(one, other);
  if (known !== null || one.kind !== "range" || other.kind !== "range") return known ?? true;
  return one.from <= other.to && other.from <= one.to;
}

function addressesMeet(one: AddressPattern, other: AddressPattern): boolean {
  const known = byPresence(one, other);
  if (known !== null || one.kind !== "network" || other.kind !== "network") return known ?? true;
  const [first, second] = [addressOf(one), addressOf(other)];
  if (first === null || second === null) return true;
  return isInNetwork(first, second, Math.min(one.bits, other.bits));
}

function valuesMeet(one: ValuePattern, other: ValuePattern, budget: Budget): boolean {
  const known = byPresence(one, other);
  if (known !== null) return known;
  if (one.kind === "text" && other.kind === "text") return textsMeet(one.pattern, other.pattern, budget);
  if (one.kind === "literal" && other.kind === "literal") return one.value === other.value;
  if (one.kind === "number" && other.kind === "number") return begins(one, other) && begins(other, one);
  return false;
}

type Span = Extract<ValuePattern, { kind: "number" }>;

/** Whether the first begins before the second ends. */
function begins(one: Span, other: Span): boolean {
  return one.from < other.to || (one.from === other.to && !one.openFrom && !other.openTo);
}

function meetIn(field: TextField): Meet<TextPattern> {
  if (field === "label") return presenceMeets;
  if (field === "host") return hostsMeet;
  return (one, other, budget) => textsMeet(one, other, budget, field);
}

function textsMeet(one: TextPattern, other: TextPattern, budget: Budget, field?: TextField): boolean {
  const known = byPresence(one, other);
  if (known !== null || !isText(one) || !isText(other)) return known ?? true;
  if (one.kind === "exact") return mayMatch(other, one.value, budget, field);
  if (other.kind === "exact") return mayMatch(one, other.value, budget, field);
  const [first, second] = [endsOf(one, field), endsOf(other, field)];
  return startsMeet(first.start, second.start) && endsMeet(first.end, second.end);
}

function mayMatch(pattern: TextPattern, value: string, budget: Budget, field?: TextField): boolean {
  budget.left -= pattern.kind === "regex" ? costOfRegex : 1;
  if (budget.left <= 0 || value.length > longestTried) return true;
  return compileTexts([pattern], field)([spelled(value, field)]);
}

function startsMeet(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function endsMeet(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

/** A record's host is one name, or a name and the same with a port: each pattern may have matched another of the two. */
function hostsMeet(one: TextPattern, other: TextPattern, budget: Budget): boolean {
  return (
    textsMeet(one, other, budget, "host") ||
    meetsWithPort(one, other, budget) ||
    meetsWithPort(other, one, budget)
  );
}

/** Whether one may match a name to which the other matches with a port. What has a port ends with a digit. */
function meetsWithPort(bare: TextPattern, ported: TextPattern, budget: Budget): boolean {
  const known = byPresence(bare, ported);
  if (known !== null || !isText(bare) || !isText(ported)) return known ?? true;
  if (ported.kind === "exact") {
    const name = /^(.*):\d+$/.exec(ported.value)?.[1];
    return name !== undefined && mayMatch(bare, name, budget, "host");
  }
  const { start, end } = endsOf(ported, "host");
  return (end === "" || /\d$/.test(end)) && startsMeet(endsOf(bare, "host").start, start);
}
