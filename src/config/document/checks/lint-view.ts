import type { ItemChanges } from "../../../job/message/item-changes.ts";
import type { Condition } from "../../../job/rules/rule-spec.ts";
import { toCondition, toSelect, type Places } from "../compile-document.ts";
import { documentSchema } from "../schema/document-schema.ts";
import { drain as drainSchema, rule as ruleSchema } from "../schema/drain-schema.ts";
import { whenKeys, type WhenKeys } from "../schema/when-schema.ts";
import { asList, asMap, mapsIn, type Raw } from "./raw-document.ts";
import { defaultRuleName } from "./rule-checks.ts";

/** The parts of a document that can be read, whatever is wrong elsewhere. Null: not readable. */
export type LintView = ReturnType<typeof toLintView>;
export type LintDrain = LintView["drains"][number];

export interface LintRule {
  readonly name: string;
  readonly then: unknown;
  /** Null if a part of it is not readable, so that what it matches is not known. */
  readonly when: Condition | null;
  readonly readable: Condition;
  readonly ignoreAfter: number | undefined;
  readonly set: ItemChanges;
}

/** Never throws. */
export function toLintView(document: Raw) {
  const places: Places = new Map();
  const sources = mapsIn(document["sources"]).map(([name, { id }]) => ({
    name,
    id: typeof id === "string" ? id : name,
  }));
  const defaults = asMap(document["defaults"]);
  return {
    archive: document["archive"] !== undefined || hasStray(document, documentSchema.shape),
    places,
    drains: mapsIn(document["drains"]).map(([name, drain]) => {
      const wanted = drain["source"] ?? (sources.length === 1 ? sources[0]?.name : undefined);
      const select = drainSchema.shape.select.safeParse(drain["select"]);
      const isKnown =
        select.success && (drain["select"] !== undefined || !hasStray(drain, drainSchema.shape));
      return {
        name,
        isLive: (drain["mode"] ?? defaults["mode"]) === "live",
        source: sources.find((source) => source.name === wanted) ?? null,
        select: isKnown ? toSelect(select.data ?? {}) : null,
        flowControlKey: toFlowControlKey(defaults, drain),
        rules: asList(drain["rules"]).map((rule, index) => toLintRule(asMap(rule), name, index, places)),
      };
    }),
  };
}

/** A key that is not known may be the one that is missing, mistyped. */
function hasStray(raw: Raw, known: object): boolean {
  return Object.keys(raw).some((key) => !Object.hasOwn(known, key));
}

function toLintRule(rule: Raw, drain: string, index: number, places: Places): LintRule {
  const { name, then } = rule;
  const when = ruleSchema.shape.when.safeParse(rule["when"]);
  const until = ruleSchema.shape.ignoreAfter.safeParse(rule["ignoreAfter"]);
  const written = when.success ? (when.data ?? "any") : toReadableWhen(rule["when"]);
  const readable = toCondition(written, ["drains", drain, "rules", index, "when"], places);
  // Without `when` it is only whole where it may be left out.
  const isLeftOut = (then === "hold" || then === "park") && !hasStray(rule, ruleSchema.shape);
  const isWhole = when.success && until.success && (rule["when"] !== undefined || isLeftOut);
  return {
    name: typeof name === "string" ? name : defaultRuleName(index),
    then,
    when: isWhole ? readable : null,
    readable,
    ignoreAfter: until.data,
    set: ruleSchema.shape.set.safeParse(rule["set"]).data ?? {},
  };
}

/** Those keys that can be read, each by itself: they are and, so the others can only narrow what they say. */
function toReadableWhen(value: unknown): WhenKeys {
  const readable = Object.entries(asMap(value)).filter(
    ([key, member]) => whenKeys.safeParse({ [key]: member }).success,
  );
  return whenKeys.safeParse(Object.fromEntries(readable)).data ?? { tests: [] };
}

function toFlowControlKey(defaults: Raw, { flowControl: own }: Raw): string | null {
  if (own === "none") return null;
  const { key } = { ...asMap(defaults["flowControl"]), ...asMap(own) };
  return typeof key === "string" ? key : null;
}
