import type { ItemChanges } from "../../../message/item-changes.ts";
import * as z from "zod";
import type { DrainsDocument } from "../../../ports/drains.ts";
import type { Select } from "../../../ports/service.ts";
import { parseDuration } from "../../../rules/patterns/parse-durations.ts";
import type { Condition } from "../../../rules/spec.ts";
import { toSelect } from "../compile-document.ts";
import { documentSchema, type DocumentKeys } from "../schema/document-schema.ts";
import { common, drain as drainSchema } from "../schema/drain-schema.ts";
import { builtIn, toEffective, type Effective } from "../describe/effective.ts";
import { misfitOfFlowControl } from "../schema/flow-control-schema.ts";
import { asList, asMap, type Raw } from "../schema/raw.ts";
import { defaultRuleName } from "./rule-checks.ts";
import { rule as ruleSchema } from "../schema/rule-schema.ts";
import { toChanges } from "../to-changes.ts";
import { toCondition, type Places } from "../to-condition.ts";
import { whenKeys, type WhenKeys } from "../schema/when-schema.ts";

/** What of a document can be judged by itself, also where other parts of it are wrong. Null: not readable. */
export interface Standing {
  readonly archive: boolean;
  readonly drains: readonly StandingDrain[];
  readonly places: Places;
}

export interface StandingDrain {
  readonly name: string;
  readonly isLive: boolean;
  readonly source: { readonly id: string; readonly retentionMs: number | null } | null;
  readonly select: Select | null;
  /** No record is republished or dropped at a lower age, in ms. */
  readonly dueFrom: DueFrom | null;
  /** How fast it goes: its lane, its limits, and the flow control of what it redrives. */
  readonly pace: Pace | null;
  readonly rules: readonly StandingRule[];
}

export interface DueFrom {
  readonly republish: number;
  readonly drop: number;
}

export interface StandingRule {
  readonly name: string;
  readonly then: unknown;
  /** Null where a part of it is not readable, so that what it holds for is not known. */
  readonly when: Condition | null;
  /** What is readable of it; all of that must hold. */
  readonly readable: Condition;
  readonly ignoreAfter: number | undefined;
  /** What is readable of what it sets. */
  readonly set: ItemChanges;
}

export type Pace = Pick<Effective, "lane" | "limits" | "flowControl">;

/** Of a document without problems. `keys` are what it was compiled from. */
export function toStanding(document: DrainsDocument, keys: DocumentKeys): Standing {
  const places: Places = new Map();
  return {
    archive: document.archive !== undefined,
    places,
    drains: document.drains.map((drain) => ({
      name: drain.name,
      isLive: drain.mode === "live",
      source: drain.source,
      select: drain.select,
      dueFrom: toDueFrom(drain),
      pace: drain,
      rules: drain.rules.map(({ name: ruleName, then, ignoreAfter, set = {} }, index) => {
        const said = keys.drains[drain.name]?.rules?.[index]?.when ?? "any";
        const when = toCondition(said, ["drains", drain.name, "rules", index, "when"], places);
        return { name: ruleName, then, when, readable: when, ignoreAfter, set };
      }),
    })),
  };
}

/** Of one with problems, from the document as it stands; `strays` are no drains, whatever they are. Never throws. */
export function salvage(value: unknown, strays: readonly string[] = []): Standing {
  const document = asMap(value);
  const places: Places = new Map();
  const sources = Object.entries(asMap(document["sources"])).map(([name, raw]) => {
    const { id, retention } = asMap(raw);
    const given = parseDuration(retention);
    const retentionMs = retention === undefined ? builtIn.sourceRetentionMs : given.ok ? given.value : null;
    return { name, id: typeof id === "string" ? id : name, retentionMs };
  });
  const defaults = asMap(document["defaults"]);
  const drains = Object.entries(asMap(document["drains"])).filter(([name]) => !strays.includes(name));
  return {
    archive: document["archive"] !== undefined || hasStray(document, documentSchema.shape),
    places,
    drains: drains.map(([name, raw]) => {
      const drain = asMap(raw);
      const wanted = drain["source"] ?? (sources.length === 1 ? sources[0]?.name : undefined);
      const select = drainSchema.shape.select.safeParse(drain["select"]);
      const isKnown =
        select.success && (drain["select"] !== undefined || !hasStray(drain, drainSchema.shape));
      return {
        name,
        isLive: (drain["mode"] ?? defaults["mode"]) === "live",
        source: sources.find((source) => source.name === wanted) ?? null,
        select: isKnown ? toSelect(select.data ?? {}) : null,
        dueFrom: salvageDueFrom(defaults, drain),
        pace: salvagePace(defaults, drain),
        rules: asList(drain["rules"]).map((rule, index) => salvageRule(asMap(rule), name, index, places)),
      };
    }),
  };
}

/** A key that is not known may be the one that is missing, mistyped. */
function hasStray(raw: Raw, known: object): boolean {
  return Object.keys(raw).some((key) => !Object.hasOwn(known, key));
}

function salvageRule(rule: Raw, drain: string, index: number, places: Places): StandingRule {
  const { name, then } = rule;
  const path = ["drains", drain, "rules", index, "when"];
  const when = ruleSchema.shape.when.safeParse(rule["when"]);
  const until = ruleSchema.shape.ignoreAfter.safeParse(rule["ignoreAfter"]);
  const set = ruleSchema.shape.set.safeParse(rule["set"]);
  const said = when.success ? (when.data ?? "any") : salvageWhen(rule["when"]);
  const readable = toCondition(said, path, places);
  // Without `when` it is only whole where it may be left out.
  const isLeftOut = (then === "hold" || then === "park") && !hasStray(rule, ruleSchema.shape);
  const isWhole = when.success && until.success && (rule["when"] !== undefined || isLeftOut);
  return {
    name: typeof name === "string" ? name : defaultRuleName(index),
    then,
    when: isWhole ? readable : null,
    readable,
    ignoreAfter: until.data,
    set: set.data === undefined ? {} : toChanges(set.data),
  };
}

/** Those keys that can be read, each by itself: they are and, so the rest can only narrow what they say. */
function salvageWhen(value: unknown): WhenKeys {
  const kept: WhenKeys = {};
  for (const [key, member] of Object.entries(asMap(value))) {
    const one = whenKeys.safeParse({ [key]: member });
    if (one.success) Object.assign(kept, one.data);
  }
  return kept;
}

function salvageDueFrom(defaults: Raw, drain: Raw): DueFrom | null {
  const [below, above] = [defaults, drain].map((raw) => ({
    minAge: common.minAge.safeParse(raw["minAge"]),
    attempts: common.attempts.safeParse(raw["attempts"]),
  }));
  if (!below?.minAge.success || !below.attempts.success) return null;
  if (!above?.minAge.success || !above.attempts.success) return null;
  return toDueFrom(
    toEffective(
      { minAge: below.minAge.data, attempts: below.attempts.data },
      { minAge: above.minAge.data, attempts: above.attempts.data },
    ),
  );
}

const paceKeys = z.object({
  lane: common.lane,
  limits: common.limits,
  flowControl: common.flowControl,
});

function salvagePace(defaults: Raw, drain: Raw): Pace | null {
  if (hasStray(defaults, common) || hasStray(drain, drainSchema.shape)) return null;
  const [below, above] = [defaults, drain].map((raw) => paceKeys.safeParse(raw));
  if (!below?.success || !above?.success) return null;
  // Together they are a flow control, or none.
  const said = { ...asMap(defaults["flowControl"]), ...asMap(drain["flowControl"]) };
  return Object.keys(said).length > 0 && misfitOfFlowControl(said) !== null
    ? null
    : toEffective(below.data, above.data);
}

function toDueFrom({
  minAgeMs,
  attempts,
}: Pick<DrainsDocument["drains"][number], "minAgeMs" | "attempts">): DueFrom {
  const minWaitMs = attempts.waitMs.length === 0 ? 0 : Math.min(...attempts.waitMs);
  return { republish: Math.max(minAgeMs, minWaitMs), drop: minAgeMs };
}
