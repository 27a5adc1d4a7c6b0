/** A summary of a plan's file, from the file alone: sums of bounded size for any number of records. */
import type { RebuildRow } from "../../job/message/describe-rebuild.ts";
import { hostOf } from "../../job/message/destination-url.ts";
import { isObject } from "../../job/message/json-value.ts";
import { toPrintable } from "../../job/message/show-masked-values.ts";
import { createDecidedCount, type DecidedReport } from "./decided-count.ts";
import type { NextDecision } from "./foresee-next-decision.ts";
import type { PlannedDrain, PlanHead } from "./plan-file.ts";
import { isNewAct, type PlanRecord } from "./plan-file-record.ts";
import type { CountedRecord } from "./rule-report.ts";

export interface FrozenDrain extends PlannedDrain, DecidedReport {
  /** Of those planned: records that an apply would act on. */
  readonly acts: number;
}

/** `now`, Unix ms: the basis of expiry. */
export function createFileSummary(now: number) {
  const byDrain = new Map<
    string,
    { readonly decided: ReturnType<typeof createDecidedCount>; acts: number }
  >();
  return {
    add(record: PlanRecord): void {
      const drain = byDrain.get(record.drain) ?? { decided: createDecidedCount(), acts: 0 };
      byDrain.set(record.drain, drain);
      drain.decided.add(toCounted(record, now));
      if (isNewAct(record)) drain.acts += 1;
    },
    drains: (head: PlanHead): readonly FrozenDrain[] =>
      head.drains.map((planned) => {
        const { decided, acts } = byDrain.get(planned.drain) ?? { decided: createDecidedCount(), acts: 0 };
        return { ...planned, acts, ...decided.report([]) };
      }),
  };
}

/** Fields that are only for reading are taken only if they have their type: no other check has seen them. */
export function toCounted(record: PlanRecord, now: number): CountedRecord {
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
    rule: toText(record.rule),
    isParkedAlready: record.then === "park" && record.already === true,
    next: toNext(record.next),
    now,
    // The service puts the moment at which a record entered in front of its id.
    enteredAt: Number(record.dlqId.split("-")[0]),
    expiresAt: toNumber(record.expiresAt),
    host: hostOf(url),
    isByService: record.via === "service",
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
  if (!isObject(value)) return null;
  const { then, reason, rule, at } = value;
  const moment = toNumber(at);
  if (moment === null || !nextDecisions.includes(then)) return null;
  return { then: then as NextDecision["then"], reason: toText(reason) ?? "", rule: toText(rule), at: moment };
}

function toChanges(value: unknown): readonly RebuildRow[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) => {
    if (!isObject(row)) return [];
    const { what, change, before, after } = row;
    if (change !== "added" && change !== "removed" && change !== "changed") return [];
    return [{ what: toText(what) ?? "", change, before: toText(before), after: toText(after) }];
  });
}
