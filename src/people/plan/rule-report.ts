import type { RebuildRow } from "../../job/message/describe-rebuild.ts";
import type { DlqId } from "../../job/message/dead-letter.ts";
import { compareDlqIds } from "../../job/message/message-ids.ts";
import type { Decision } from "../../job/rules/decision.ts";
import type { NextDecision } from "./foresee-next-decision.ts";
import { createTopCount } from "./top-count.ts";
import { createHash } from "node:crypto";

/** A due record, with the changes of its rebuild. */
export interface SampleReport {
  readonly dlqId: DlqId;
  readonly url: string;
  readonly status: number | null;
  /** Redrives made so far that count. */
  readonly attempt: number;
  /** Which attempt it would be, from 1. */
  readonly redrive: number;
  readonly changes: readonly RebuildRow[];
  readonly losses: readonly string[];
}

/** Held records with the same next decision, by time alone. */
export interface NextReport extends Omit<NextDecision, "at"> {
  readonly count: number;
  /** Unix ms: the first and the last of them. */
  readonly from: number;
  readonly to: number;
}

/** The counted facts of one record. Times in Unix ms by the service's clock. */
export interface CountedRecord {
  readonly dlqId: DlqId;
  readonly then: Decision["then"];
  readonly reason: string;
  readonly rule: string | null;
  /** It waits for a person already. */
  readonly isParkedAlready: boolean;
  readonly next: NextDecision | null;
  readonly now: number;
  readonly enteredAt: number;
  /** Null if that is not known. */
  readonly expiresAt: number | null;
  readonly host: string;
  readonly status: number | null;
  readonly losses: readonly string[];
  /** Of a due record: it goes by the service's own retry. */
  readonly isByService: boolean;
  /** For a due record; called only if it becomes a sample. */
  readonly toSample: () => SampleReport;
}

const maxHosts = 500;
const topHosts = 5;
const topStatuses = 8;

export type RuleReport = ReturnType<ReturnType<typeof createRuleCount>["report"]>;

/** `rule`: null for records that no rule decided, but the ledger, `otherwise`, or the record itself. */
export function createRuleCount(rule: string | null) {
  const reasons = createTopCount<string>(100);
  const hosts = createTopCount<string>(maxHosts);
  const statuses = createTopCount<string>(200);
  const losses = createTopCount<string>(20);
  const samples = createSamples<SampleReport>();
  const expiry = createExpiryCount();
  const nexts = new Map<string, NextReport>();
  let count = 0;
  let dueNow = 0;
  let byService = 0;
  let oldest = Infinity;

  const addNext = ({ then, reason, rule: by, at }: NextDecision): void => {
    const key = JSON.stringify([then, reason, by]);
    const known = nexts.get(key);
    const { count: before, from, to } = known ?? { count: 0, from: Infinity, to: -Infinity };
    const span = { from: Math.min(from, at), to: Math.max(to, at) };
    nexts.set(key, { then, reason, rule: by, count: before + 1, ...span });
  };

  return {
    add(record: CountedRecord): void {
      count += 1;
      oldest = Math.min(oldest, record.enteredAt);
      if (record.expiresAt !== null) expiry.add(record.expiresAt, record.now);
      reasons.add(`${record.then} ${record.reason}`);
      hosts.add(record.host);
      statuses.add(record.status?.toString() ?? "none");
      if (record.next !== null) addNext(record.next);
      if (record.then !== "republish") return;
      dueNow += 1;
      if (record.isByService) byService += 1;
      for (const loss of record.losses) losses.add(loss);
      samples.offer(record.dlqId, record.toSample);
    },
    report() {
      const next = [...nexts.values()].toSorted((one, other) => other.count - one.count);
      const later = next.reduce((sum, one) => sum + one.count, 0);
      return {
        rule,
        count,
        /** Of all of them, with any decision. */
        expiry: expiry.report(),
        /** Republished if it were done now. */
        dueNow,
        /** Of those, by the service's own retry: as many calls. */
        byService,
        /** Held until a time that is known; `next` has the decision at that time. */
        later,
        /** Unix ms: when the first and the last of those are decided anew. */
        laterFrom: later === 0 ? null : Math.min(...next.map(({ from }) => from)),
        laterTo: later === 0 ? null : Math.max(...next.map(({ to }) => to)),
        /** Adds up to `later`; most frequent first. */
        next,
        oldestEnteredAt: count === 0 ? null : oldest,
        reasons: reasons.top(100).top.map(({ key, count: times }) => {
          const [then = "", reason = ""] = key.split(" ");
          return { key, count: times, then: then as Decision["then"], reason };
        }),
        hosts: hosts.top(topHosts),
        statuses: statuses.top(topStatuses),
        losses: losses.top(20).top,
        samples: samples.all(),
      };
    },
  };
}

const maxSamples = 3;

/** Keeps three of many, the same in any order of arrival: those with the lowest hash of their dlqId. */
export function createSamples<Sample>() {
  const kept: { readonly draw: number; readonly dlqId: DlqId; readonly sample: Sample }[] = [];
  return {
    /** `toSample` is called only for one that is kept for now. */
    offer(dlqId: DlqId, toSample: () => Sample): void {
      const draw = createHash("sha256").update(`sample ${dlqId}`).digest().readUInt32BE(0);
      const highest = kept.at(-1);
      if (kept.length >= maxSamples && (highest === undefined || draw >= highest.draw)) return;
      if (kept.some((one) => one.dlqId === dlqId)) return;
      if (kept.length >= maxSamples) kept.pop();
      kept.push({ draw, dlqId, sample: toSample() });
      kept.sort((one, other) => one.draw - other.draw);
    },
    /** By time of entry. */
    all: (): readonly Sample[] =>
      kept.toSorted((one, other) => compareDlqIds(one.dlqId, other.dlqId)).map(({ sample }) => sample),
  };
}

const hourMs = 3_600_000;

export type ExpiryReport = ReturnType<ReturnType<typeof createExpiryCount>["report"]>;

export function createExpiryCount() {
  let [expired, within1h, within6h, within24h, earliest] = [0, 0, 0, 0, Infinity];
  return {
    /** Both Unix ms by the service's clock. */
    add(expiresAt: number, now: number): void {
      earliest = Math.min(earliest, expiresAt);
      const leftMs = expiresAt - now;
      if (leftMs <= 0) {
        expired += 1;
        return;
      }
      if (leftMs <= hourMs) within1h += 1;
      if (leftMs <= 6 * hourMs) within6h += 1;
      if (leftMs <= 24 * hourMs) within24h += 1;
    },
    report: () => ({
      /** Past the retention that the document has for the source. */
      expired,
      /** Each includes the ones before it. */
      within1h,
      within6h,
      within24h,
      /** Unix ms by the service's clock; null without a record. */
      earliestAt: Number.isFinite(earliest) ? earliest : null,
    }),
  };
}
