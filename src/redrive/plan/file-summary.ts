/** What a frozen plan says, from its file alone: sums of bounded size, however many records it has. */
import type { RebuildRow } from "../../message/describe-rebuild.ts";
import { toPrintable } from "../../message/masked-text.ts";
import type { Decision } from "../../rules/decision.ts";
import { createExpiryCount, type ExpiryReport } from "./expiry-count.ts";
import type { PlannedDrain, PlanHead } from "./plan-file.ts";
import type { NextDecision } from "./next-decision.ts";
import { isAct, type PlanRecord } from "./plan-record.ts";
import { createRuleCount, type RuleCount, type RuleEntry, type RuleReport } from "./rule-report.ts";
import { hostOf } from "./target.ts";

export interface FrozenDrain extends PlannedDrain {
  readonly planned: number;
  /** Of these: what an apply would act on. */
  readonly acts: number;
  readonly expiry: ExpiryReport;
  readonly decisions: { readonly [Then in Decision["then"]]: number };
  /** Of `park`: those that waited for a person already. */
  readonly parkedAlready: number;
  /** Most records first; what no rule decided is last. */
  readonly rules: readonly RuleReport[];
}

export interface FileSummary {
  add(record: PlanRecord): void;
  drains(head: PlanHead): readonly FrozenDrain[];
}

interface Building {
  readonly decisions: { [Then in Decision["then"]]: number };
  readonly rules: Map<string | null, RuleCount>;
  readonly expiry: ReturnType<typeof createExpiryCount>;
  planned: number;
  acts: number;
  parkedAlready: number;
}

/** `now`, Unix ms: what expiry is counted from. */
export function createFileSummary(now: number): FileSummary {
  const building = new Map<string, Building>();
  return {
    add(record) {
      const one = building.get(record.drain) ?? empty();
      building.set(record.drain, one);
      one.planned += 1;
      one.decisions[record.then] += 1;
      if (isAct(record)) one.acts += 1;
      if (record.then === "park" && record.already === true) one.parkedAlready += 1;
      const entry = toEntry(record, now);
      if (entry.expiresAt !== null) one.expiry.add(entry.expiresAt, now);
      const rule = record.rule === null ? null : toPrintable(record.rule);
      const count = one.rules.get(rule) ?? createRuleCount(rule);
      one.rules.set(rule, count);
      count.add(entry);
    },
    drains: (head) =>
      head.drains.map(({ drain, source, address, rulesHash, from, to, host }) => {
        const { decisions, rules, expiry, planned, acts, parkedAlready } = building.get(drain) ?? empty();
        const reports = [...rules.values()].map((count) => count.report());
        return {
          drain,
          source,
          address,
          rulesHash,
          from,
          to,
          ...(host === undefined ? {} : { host }),
          planned,
          acts,
          expiry: expiry.report(),
          decisions,
          parkedAlready,
          rules: reports.toSorted(
            (one, other) =>
              Number(one.rule === null) - Number(other.rule === null) || other.count - one.count,
          ),
        };
      }),
  };
}

function empty(): Building {
  const decisions = { republish: 0, drop: 0, settle: 0, park: 0, hold: 0 };
  return {
    decisions,
    rules: new Map(),
    expiry: createExpiryCount(),
    planned: 0,
    acts: 0,
    parkedAlready: 0,
  };
}

/** What a plan is read for is not checked when it is read, so it is taken only where it is as it should be. */
function toEntry(record: PlanRecord, now: number): RuleEntry {
  const url = typeof record.url === "string" ? toPrintable(record.url) : "";
  const common = {
    dlqId: record.dlqId,
    status: toNumber(record.status),
    losses: toTexts(record.losses),
  };
  return {
    ...common,
    then: record.then,
    reason: toPrintable(record.reason),
    next: toNext(record.next),
    now,
    // The service puts the moment at which a record entered in front of its id.
    enteredAt: Number(record.dlqId.split("-")[0]),
    expiresAt: toNumber(record.expiresAt),
    host: hostOf(url),
    toSample: () => {
      const attempt = toNumber(record.attempt) ?? 0;
      const redrive = toNumber(record.redrive) ?? attempt + 1;
      return { ...common, url, attempt, redrive, changes: toChanges(record.changes) };
    },
  };
}

function toNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? toPrintable(value) : null;
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((one) => toText(one) ?? []) : [];
}

const nextDecisions: readonly unknown[] = ["republish", "drop", "hold", "park", "settle", "expire"];

function toNext(value: unknown): NextDecision | null {
  if (typeof value !== "object" || value === null) return null;
  const { then, reason, rule, at } = value as Partial<Record<string, unknown>>;
  const moment = toNumber(at);
  if (moment === null || !nextDecisions.includes(then)) return null;
  return { then: then as NextDecision["then"], reason: toText(reason) ?? "", rule: toText(rule), at: moment };
}

function toChanges(value: unknown): readonly RebuildRow[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) => {
    if (typeof row !== "object" || row === null) return [];
    const { what, change, before, after } = row as Partial<Record<string, unknown>>;
    if (change !== "added" && change !== "removed" && change !== "changed") return [];
    return [{ what: toText(what) ?? "", change, before: toText(before), after: toText(after) }];
  });
}
