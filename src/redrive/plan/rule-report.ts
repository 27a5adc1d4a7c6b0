import type { RebuildRow } from "../../message/describe-rebuild.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { Decision } from "../../rules/decision.ts";
import type { NextDecision } from "./next-decision.ts";
import { createSamples } from "./samples.ts";
import { createTopCount, type Counted, type TopCounted } from "./top-count.ts";

/** How many records the service's retention deletes, and how soon. */
export interface ExpiryReport {
  /** Past the retention that the document has for the source. */
  readonly expired: number;
  /** Each includes the ones before it. */
  readonly within1h: number;
  readonly within6h: number;
  readonly within24h: number;
  /** Unix ms by the service's clock; null without a record. */
  readonly earliestAt: number | null;
}

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

export interface RuleReport {
  /** Null: no rule decided, but the ledger, `otherwise`, or the record itself. */
  readonly rule: string | null;
  readonly count: number;
  /** Of all of them, with any decision. */
  readonly expiry: ExpiryReport;
  /** Republished if it were done now. */
  readonly dueNow: number;
  /** Held until a time that is known; `next` has the decision at that time. */
  readonly later: number;
  /** Unix ms: when the first and the last of those are decided anew. */
  readonly laterFrom: number | null;
  readonly laterTo: number | null;
  /** Adds up to `later`; most frequent first. */
  readonly next: readonly NextReport[];
  /** Unix ms. */
  readonly oldestEnteredAt: number | null;
  readonly reasons: readonly (Counted<string> & {
    readonly then: Decision["then"];
    readonly reason: string;
  })[];
  readonly hosts: TopCounted<string>;
  readonly statuses: TopCounted<string>;
  readonly losses: readonly Counted<string>[];
  readonly samples: readonly SampleReport[];
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
  /** For a due record; called only if it becomes a sample. */
  readonly toSample: () => SampleReport;
}

const hourMs = 3_600_000;

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
    report: (): ExpiryReport => ({
      expired,
      within1h,
      within6h,
      within24h,
      earliestAt: Number.isFinite(earliest) ? earliest : null,
    }),
  };
}

const maxHosts = 500;
const topHosts = 5;
const topStatuses = 8;

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
      for (const loss of record.losses) losses.add(loss);
      samples.offer(record.dlqId, record.toSample);
    },
    report(): RuleReport {
      const next = [...nexts.values()].toSorted((one, other) => other.count - one.count);
      const later = next.reduce((sum, one) => sum + one.count, 0);
      return {
        rule,
        count,
        expiry: expiry.report(),
        dueNow,
        later,
        laterFrom: later === 0 ? null : Math.min(...next.map(({ from }) => from)),
        laterTo: later === 0 ? null : Math.max(...next.map(({ to }) => to)),
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
