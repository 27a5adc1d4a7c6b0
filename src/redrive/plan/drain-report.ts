/** What a plan shows of one drain: sums of bounded size, however many records there are. */
import { describeRebuild } from "../../message/describe-rebuild.ts";
import type { BatchItem } from "../../message/dead-letter.ts";
import { hostOf } from "../../message/destination.ts";
import type { Show } from "../../message/masked-text.ts";
import { toShownUrl } from "../../message/shown-url.ts";
import type { DrainName, SourceId } from "../../ports/ids.ts";
import { isReconciling } from "../page/capacity-request.ts";
import type { DrainRuntime } from "../runtime.ts";
import { createDecidedCount, type DecidedReport } from "./decided-count.ts";
import { estimate, type Estimate } from "./estimate.ts";
import { createLaneWaitCount, type LaneWaits } from "./lane-waits.ts";
import type { ForeseenRecord } from "./next-decision.ts";
import { isParkedAlready } from "./plan-record.ts";
import { readRoom, type Room } from "./room.ts";
import type { CountedRecord } from "./rule-report.ts";
import { createSignatureCount, type SignatureCounts } from "./signature-count.ts";
import type { FrozenRange, PlanClock, SurveyPage, SurveyRange } from "./survey.ts";
import { createTopCount } from "./top-count.ts";

export interface DrainReport extends DecidedReport {
  readonly drain: DrainName;
  readonly source: SourceId;
  readonly mode: "plan" | "live";
  readonly range: SurveyRange;
  readonly clock: PlanClock;
  /** Records that were listed and decided, also those that a filter left out. */
  readonly listed: number;
  /** The limit was reached: later records were not looked at. */
  readonly cut: boolean;
  /** `missing`: without an archive what would be dropped is held. */
  readonly archive: "there" | "missing";
  /** Records that cannot be read, by reason. They stay in the queue. */
  readonly unusable: Readonly<Record<string, number>>;
  readonly failures: SignatureCounts;
  readonly room: Room;
  /** Null if the drain has none. */
  readonly lanes: LaneWaits | null;
  readonly estimate: Estimate;
}

export interface DrainCount {
  unusable(records: SurveyPage["unusable"]): void;
  add(record: ForeseenRecord): void;
  planned(): number;
  /** Throws `redis-unavailable`. */
  report(listed: number, cut: boolean): Promise<DrainReport>;
}

const maxHosts = 2_000;

export function createDrainCount(
  drain: DrainRuntime,
  { clock, from, to }: FrozenRange,
  show: Show,
): DrainCount {
  const { config, source } = drain;
  const { headerPrefix } = source;
  const decided = createDecidedCount();
  const unusable: Record<string, number> = {};
  const failures = createSignatureCount(show);
  const targets = createTopCount<string>(maxHosts);
  const laneWaits = createLaneWaitCount(drain);
  let worstBilled = 0;
  let firstPublishes = 0;

  return {
    unusable(records) {
      for (const { reason } of records) unusable[reason] = (unusable[reason] ?? 0) + 1;
    },
    add(record) {
      const { decision, letter } = record.decided;
      decided.add({
        ...toCounted(record, headerPrefix, show),
        isParkedAlready: isParkedAlready(record, config.rulesHash),
      });
      failures.add(letter, decision.then);
      laneWaits.add(record);
      if (record.candidate === null) return;
      if (!isReconciling(record.candidate)) firstPublishes += 1;
      const item = record.candidate.toItem(1);
      targets.add(targetOf(item));
      worstBilled += 1 + retriesOf(item.headers[`${headerPrefix}Retries`]);
    },
    planned: decided.planned,
    async report(listed, cut) {
      const room = await readRoom(drain);
      const lanes = await laneWaits.read();
      const report = decided.report(config.rules.map(({ name }) => name));
      const { decisions, rules } = report;
      const [busiest] = targets.top(1).top;
      return {
        drain: config.name,
        source: source.config.id,
        mode: config.mode,
        range: { from, to },
        clock,
        listed,
        cut,
        ...report,
        archive: drain.archive === null ? "missing" : "there",
        unusable,
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
            const count = rules.find(({ rule }) => rule === name)?.dueNow ?? 0;
            return limit === undefined || count === 0 ? [] : [{ rule: name, rate: limit, count }];
          }),
        }),
      };
    },
  };
}

function toCounted(
  { decided, candidate, facts, next }: ForeseenRecord,
  headerPrefix: string,
  show: Show,
): Omit<CountedRecord, "isParkedAlready"> {
  const { letter, decision, attempt } = decided;
  const common = {
    dlqId: letter.dlqId,
    status: letter.responseStatus ?? null,
    losses: candidate?.losses ?? [],
  };
  return {
    ...common,
    then: decision.then,
    reason: decision.reason,
    rule: decision.rule,
    next,
    now: facts.now,
    enteredAt: letter.enteredAt,
    expiresAt: facts.expiresAt,
    host: hostOf(letter.url),
    toSample: () => ({
      ...common,
      url: toShownUrl(letter.url, show),
      attempt,
      redrive: candidate?.lineage.attempt ?? attempt + 1,
      changes: candidate === null ? [] : describeRebuild(letter, candidate.toItem(1), { headerPrefix, show }),
    }),
  };
}

/** What rates per host are counted by: the destination's host with its port, or `queue:<name>`. */
function targetOf({ queue, destination }: BatchItem): string {
  return queue === undefined ? hostOf(destination) : `queue:${queue}`;
}

/** The service retries three times if a message does not say. */
const defaultRetries = 3;

function retriesOf(header: string | undefined): number {
  const retries = Number(header ?? defaultRetries);
  return Number.isSafeInteger(retries) && retries >= 0 ? retries : defaultRetries;
}
