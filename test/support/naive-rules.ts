import { parseUrl } from "../../src/job/message/destination-url.ts";
import type { RecordFacts } from "../../src/job/rules/record-facts.ts";
import type { Condition, TextPattern, ValuePattern } from "../../src/job/rules/rule-spec.ts";

/**
 * Whether a condition holds, written apart from the code under test: a condition is a function of plain
 * values, by the ten sentences of the rules. Slow and simple; for small patterns only.
 */
export function holdsNaively(condition: Condition, facts: RecordFacts): boolean {
  const { letter, now } = facts;
  switch (condition.kind) {
    case "any":
      return true;
    case "all":
      return condition.of.filter((inner) => !holdsNaively(inner, facts)).length === 0;
    case "some":
      return condition.of.filter((inner) => holdsNaively(inner, facts)).length > 0;
    case "not":
      return !holdsNaively(condition.of, facts);
    case "duration":
    case "number": {
      const value = {
        ...letter,
        attempt: facts.attempt,
        size: new TextEncoder().encode(letter.body).length,
        age: now - letter.enteredAt,
        messageAge: now - facts.rootCreatedAt,
        timeLeft: facts.expiresAt - now,
      }[condition.field];
      return condition.oneOf.some((pattern) => {
        if (pattern.kind === "none") return value === undefined;
        return (
          value !== undefined && (pattern.kind === "some" || (value >= pattern.from && value <= pattern.to))
        );
      });
    }
    case "header": {
      const headers = condition.of === "request" ? letter.header : letter.responseHeader;
      const values = Object.entries(headers).flatMap(([name, list]) =>
        name.toUpperCase() === condition.name.toUpperCase() ? list : [],
      );
      return condition.oneOf.some((pattern) =>
        pattern.kind === "number"
          ? values.some((text) => /^-?\d+$/.test(text) && matchesValue(pattern, Number(text)))
          : matchesAny(pattern, values, (text) => text),
      );
    }
    case "text": {
      const { field } = condition;
      const address = parseUrl(letter.url) ?? undefined;
      const found: Partial<Record<string, readonly unknown[]>> = {
        host: address === undefined ? [] : [address.host, address.hostname],
        path: address === undefined ? [] : [address.pathname],
        label: letter.labels,
        method: [letter.method.toUpperCase()],
      };
      const values = found[field] ?? [(letter as unknown as Record<string, unknown>)[field]];
      const given = values.filter((value): value is string => typeof value === "string" && value !== "");
      const spell = (text: string) => (field === "method" ? text.toUpperCase() : text);
      return condition.oneOf.some((pattern) => matchesAny(pattern, given, spell));
    }
    case "address": {
      const bits = letter.callerIp === undefined ? undefined : toBits(letter.callerIp);
      return condition.oneOf.some((pattern) => {
        if (pattern.kind === "none") return bits === undefined;
        if (pattern.kind === "some") return bits !== undefined;
        const network = toBits(pattern.address) ?? "";
        return bits?.length === network.length && bits.startsWith(network.slice(0, pattern.bits));
      });
    }
    case "value": {
      const value = naiveLookUp(letter[condition.field], condition.pointer);
      return condition.oneOf.some((pattern) => matchesValue(pattern, value));
    }
    case "superseded":
      return (facts.newer?.(letter.dlqId, condition.pointer, undefined) ?? null) !== null;
  }
}

function matchesAny(
  pattern: TextPattern,
  given: readonly string[],
  spell: (text: string) => string,
): boolean {
  if (pattern.kind === "none") return given.length === 0;
  if (pattern.kind === "some") return given.length > 0;
  const expression = toExpression(pattern, spell);
  return given.some((value) => expression.test(value));
}

function toExpression(
  pattern: Exclude<TextPattern, { kind: "some" | "none" }>,
  spell: (text: string) => string,
): RegExp {
  const quoted = (text: string) => spell(text).replaceAll(".", String.raw`\.`);
  switch (pattern.kind) {
    case "exact":
      return new RegExp(`^${quoted(pattern.value)}$`);
    case "prefix":
      return new RegExp(`^${quoted(pattern.value)}`);
    case "suffix":
      return new RegExp(`${quoted(pattern.value)}$`);
    case "glob":
      return new RegExp(`^${quoted(pattern.pattern).replaceAll("*", ".*")}$`);
    case "regex":
      return new RegExp(pattern.source);
  }
}

const groups = (text: string) => (text === "" ? [] : text.split(":"));

/** All bits of an address, of which IPv4 has 32; undefined for what is none. */
function toBits(address: string): string | undefined {
  const bare = address.replace(/^::ffff:(?=.*\.)/, "");
  if (/^\d+(\.\d+){3}$/.test(bare)) {
    return bare
      .split(".")
      .map((part) => Number(part).toString(2).padStart(8, "0"))
      .join("");
  }
  if (!bare.includes(":")) return "";
  const [head = "", tail = ""] = bare.split("::");
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right]
    .map((part) => parseInt(part, 16).toString(2).padStart(16, "0"))
    .join("");
}

function naiveLookUp(body: string, pointer: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (const name of pointer.split("/").slice(1)) {
    const own = name.replaceAll("~1", "/").replaceAll("~0", "~");
    const entry = Object.entries((typeof value === "object" ? value : null) ?? {}).find(
      ([key]) => key === own,
    );
    if (entry === undefined) return undefined;
    value = entry[1];
  }
  return value;
}

function matchesValue(pattern: ValuePattern, value: unknown): boolean {
  switch (pattern.kind) {
    case "none":
      return value === undefined;
    case "some":
      return value !== undefined;
    case "literal":
      return value === pattern.value;
    case "text":
      return typeof value === "string" && toExpression(pattern.pattern, (text) => text).test(value);
    case "number": {
      if (typeof value !== "number") return false;
      if (value === pattern.from && value === pattern.to) return !pattern.openFrom && !pattern.openTo;
      if (value === pattern.from) return !pattern.openFrom;
      if (value === pattern.to) return !pattern.openTo;
      return value > pattern.from && value < pattern.to;
    }
  }
}
