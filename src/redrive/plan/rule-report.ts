import { describeRebuild, type RebuildRow } from "../../message/describe-rebuild.ts";
import type { Show } from "../../message/masked-text.ts";
import { toShownUrl } from "../../message/shown-url.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { Decision, Loss } from "../../rules/decision.ts";
import { createSamples } from "./samples.ts";
import type { SurveyedRecord } from "./survey.ts";
import { hostOf } from "./target.ts";
import { createTopCount, type Counted, type TopCounted } from "./top-count.ts";

/** A record that is due, and what its rebuild changes. */
export interface SampleReport {
  readonly dlqId: DlqId;
  readonly url: string;
  readonly status: number | null;
  /** Which redrive it would be, from 1. */
  readonly attempt: number;
  readonly changes: readonly RebuildRow[];
  readonly losses: readonly Loss[];
}

export interface RuleReport {
  /** Null: no rule said so, but the ledger, `otherwise`, or the record itself. */
  readonly rule: string | null;
  readonly count: number;
  /** Republished if it were done now. */
  readonly dueNow: number;
  /** Held until a time that is known. */
  readonly later: number;
  /** Unix ms: when the first and the last of those become due, by what is known now. */
  readonly laterFrom: number | null;
  readonly laterTo: number | null;
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

export interface RuleCount {
  add(record: SurveyedRecord): void;
  report(): RuleReport;
}

const mostHosts = 500;
const topHosts = 5;
const topStatuses = 8;
const samplesPerRule = 3;

export function createRuleCount(rule: string | null, headerPrefix: string, show: Show): RuleCount {
  const reasons = createTopCount<string>(100);
  const hosts = createTopCount<string>(mostHosts);
  const statuses = createTopCount<string>(200);
  const losses = createTopCount<string>(20);
  const samples = createSamples<SampleReport>(samplesPerRule);
  let count = 0;
  let dueNow = 0;
  let later = 0;
  let laterFrom = Infinity;
  let laterTo = -Infinity;
  let oldest = Infinity;

  return {
    add({ decided, candidate }) {
      const { letter, decision } = decided;
      count += 1;
      oldest = Math.min(oldest, letter.enteredAt);
      reasons.add(`${decision.then} ${decision.reason}`);
      hosts.add(hostOf(letter.url));
      statuses.add(letter.responseStatus?.toString() ?? "none");
      if (decision.then === "hold" && decision.until !== undefined) {
        later += 1;
        laterFrom = Math.min(laterFrom, decision.until);
        laterTo = Math.max(laterTo, decision.until);
      }
      if (candidate === null) return;
      dueNow += 1;
      for (const loss of candidate.losses) losses.add(loss);
      samples.offer(letter.dlqId, () => ({
        dlqId: letter.dlqId,
        url: toShownUrl(letter.url, show),
        status: letter.responseStatus ?? null,
        attempt: candidate.lineage.attempt,
        changes: describeRebuild(letter, candidate.toItem(1), { headerPrefix, show }),
        losses: candidate.losses,
      }));
    },
    report: () => ({
      rule,
      count,
      dueNow,
      later,
      laterFrom: later === 0 ? null : laterFrom,
      laterTo: later === 0 ? null : laterTo,
      oldestEnteredAt: count === 0 ? null : oldest,
      reasons: reasons.top(100).top.map(({ key, count: times }) => {
        const [then = "", reason = ""] = key.split(" ");
        return { key, count: times, then: then as Decision["then"], reason };
      }),
      hosts: hosts.top(topHosts),
      statuses: statuses.top(topStatuses),
      losses: losses.top(20).top,
      samples: samples.all(),
    }),
  };
}
