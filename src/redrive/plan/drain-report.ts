/** What a plan says of one drain: sums of bounded size, however many records there are. */
import type { DrainName, SourceId } from "../../ports/ids.ts";
import type { Decision } from "../../rules/decision.ts";
import { estimate, type Estimate } from "./estimate.ts";
import { createExpiryCount, type ExpiryReport } from "./expiry-count.ts";
import type { ForeseenRecord } from "./next-decision.ts";
import { isParkedAlready } from "./plan-record.ts";
import { createSignatureCount, type SignatureCounts } from "./signature-count.ts";
import { isReconciling } from "../page/capacity-request.ts";
import type { LaneWaits } from "./lane-waits.ts";
import type { Room } from "./room.ts";
import { toRuleEntry } from "./rule-entry.ts";
import { createRuleCount, type RuleCount, type RuleReport } from "./rule-report.ts";
import type { FrozenRange, PlanClock, SurveyPage, SurveyRange } from "./survey.ts";
import type { DrainRuntime } from "../runtime.ts";
import { createTopCount } from "./top-count.ts";
import { targetOf } from "./target.ts";
import type { Show } from "../../message/masked-text.ts";

export interface DrainReport {
  readonly drain: DrainName;
  readonly source: SourceId;
  readonly mode: "plan" | "live";
  readonly range: SurveyRange;
  readonly clock: PlanClock;
  /** Records that were looked at, whether or not a filter let them in. */
  readonly listed: number;
  /** Records that the plan is about. */
  readonly planned: number;
  /** The limit was reached: what lies behind was not looked at. */
  readonly cut: boolean;
  /** Of all that the plan is about, whatever becomes of them. */
  readonly expiry: ExpiryReport;
  readonly decisions: { readonly [Then in Decision["then"]]: number };
  /** `missing`: without an archive what would be dropped is held. */
  readonly archive: "there" | "missing";
  /** Of `park`: those that wait for a person already. */
  readonly parkedAlready: number;
  /** Records that cannot even be read, by reason; they stay where they are. */
  readonly unusable: Readonly<Record<string, number>>;
  /** In the order of the drain's rules; what no rule decided is last. Rules that decided nothing are left out. */
  readonly rules: readonly RuleReport[];
  readonly failures: SignatureCounts;
  readonly room: Room;
  /** Null where the drain has none. */
  readonly lanes: LaneWaits | null;
  readonly estimate: Estimate;
}

export interface DrainCount {
  listed(count: number): void;
  unusable(records: SurveyPage["unusable"]): void;
  add(record: ForeseenRecord): void;
  planned(): number;
  report(cut: boolean, room: Room, lanes: LaneWaits | null): DrainReport;
}

const maxHosts = 2_000;

export function createDrainCount(
  drain: DrainRuntime,
  { clock, from, to }: FrozenRange,
  show: Show,
): DrainCount {
  const { config, source } = drain;
  const decisions = { republish: 0, drop: 0, settle: 0, park: 0, hold: 0 };
  const unusable: Record<string, number> = {};
  const rules = new Map<string | null, RuleCount>();
  const failures = createSignatureCount(show);
  const targets = createTopCount<string>(maxHosts);
  const expiry = createExpiryCount();
  let listed = 0;
  let planned = 0;
  let parkedAlready = 0;
  let worstBilled = 0;
  let firstPublishes = 0;

  return {
    listed(count) {
      listed += count;
    },
    unusable(records) {
      for (const { reason } of records) unusable[reason] = (unusable[reason] ?? 0) + 1;
    },
    add(record) {
      const { decision, letter } = record.decided;
      planned += 1;
      decisions[decision.then] += 1;
      if (isParkedAlready(record, config.rulesHash)) parkedAlready += 1;
      expiry.add(record.facts.expiresAt, record.facts.now);
      const rule = rules.get(decision.rule) ?? createRuleCount(decision.rule);
      rules.set(decision.rule, rule);
      rule.add(toRuleEntry(record, { headerPrefix: source.headerPrefix, show }));
      failures.add(letter, decision.then);
      if (record.candidate === null) return;
      if (!isReconciling(record.candidate)) firstPublishes += 1;
      const item = record.candidate.toItem(1);
      targets.add(targetOf(item));
      worstBilled += 1 + retriesOf(item.headers[`${source.headerPrefix}Retries`]);
    },
    planned: () => planned,
    report(cut, room, lanes) {
      const order = [...config.rules.map(({ name }): string | null => name), null];
      const reports = order.flatMap((name) => rules.get(name)?.report() ?? []);
      const [busiest] = targets.top(1).top;
      return {
        drain: config.name,
        source: source.config.id,
        mode: config.mode,
        range: { from, to },
        clock,
        listed,
        planned,
        cut,
        expiry: expiry.report(),
        decisions,
        archive: drain.archive === null ? "missing" : "there",
        parkedAlready,
        unusable,
        rules: reports,
        failures: failures.counts(),
        room,
        lanes,
        estimate: estimate({
          limits: config.limits,
          listed,
          publishes: decisions.republish,
          firstPublishes,
          room,
          lanes,
          worstBilled,
          deletes: decisions.republish + decisions.drop + decisions.settle,
          itemsPerPublish: source.publish.maxItems,
          busiestHost: busiest === undefined ? null : { host: busiest.key, count: busiest.count },
          rules: config.rules.flatMap(({ name, limit }) => {
            const count = reports.find(({ rule }) => rule === name)?.dueNow ?? 0;
            return limit === undefined || count === 0 ? [] : [{ rule: name, rate: limit, count }];
          }),
        }),
      };
    },
  };
}

/** The service retries three times where a message does not say. */
const defaultRetries = 3;

function retriesOf(header: string | undefined): number {
  const retries = Number(header ?? defaultRetries);
  return Number.isSafeInteger(retries) && retries >= 0 ? retries : defaultRetries;
}
