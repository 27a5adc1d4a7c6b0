import type { DlqId } from "../../job/message/dead-letter.ts";
import { hostOf } from "../../job/message/destination-url.ts";
import { compareDlqIds } from "../../job/message/message-ids.ts";
import { enteredAtOfId } from "../../job/message/parse-record.ts";
import type { NextDecision } from "./foresee-next-decision.ts";
import type { PlanRecord } from "./plan-file-record.ts";
import { createTopCount } from "./top-count.ts";
import { createHash } from "node:crypto";

/** Held records with the same next decision, by time alone. */
export interface NextReport extends Omit<NextDecision, "at"> {
  readonly count: number;
  /** Unix ms: the first and the last of them. */
  readonly from: number;
  readonly to: number;
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
  const samples = createSamples<ReturnType<typeof toSample>>();
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
    /** `now`: Unix ms by the service's clock. */
    add(record: PlanRecord, now: number): void {
      const { dlqId, then, reason, url, status, expiresAt, next, via, losses: lost = [] } = record;
      count += 1;
      oldest = Math.min(oldest, enteredAtOfId(dlqId));
      if (expiresAt !== undefined) expiry.add(expiresAt, now);
      reasons.add(`${then} ${reason}`);
      hosts.add(hostOf(url));
      statuses.add(status?.toString() ?? "none");
      if (next !== undefined) addNext(next);
      if (then !== "republish") return;
      dueNow += 1;
      if (via === "service") byService += 1;
      for (const loss of lost) losses.add(loss);
      samples.offer(dlqId, () => toSample(record));
    },
    report() {
      const next = [...nexts.values()].toSorted((one, other) => other.count - one.count);
      const later = next.reduce((sum, one) => sum + one.count, 0);
      return {
        rule,
        count,
        /** Of all of them, with any decision. */
        expiry: expiry.report(),
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
          return { key, count: times, then: then as PlanRecord["then"], reason };
        }),
        hosts: hosts.top(topHosts),
        statuses: statuses.top(topStatuses),
        losses: losses.top(20).top,
        samples: samples.all(),
      };
    },
  };
}

/** A due record, with the changes of its rebuild. */
function toSample({
  dlqId,
  url,
  status,
  attempt,
  redrive = attempt + 1,
  changes = [],
  losses = [],
}: PlanRecord) {
  return { dlqId, url, status, attempt, redrive, changes, losses };
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
