import { stringify } from "yaml";
import { defined } from "../../../message/defined.ts";
import type {
  DrainConfig,
  DrainsDocument,
  IndexConfig,
  LimitsConfig,
  Schedule,
  SecretRef,
  SourceConfig,
} from "../../../ports/drains.ts";
import { maskQuery, momentText } from "../../../rules/document-form.ts";
import { durationText } from "../../../rules/format-duration.ts";
import type { DateEdge } from "../../../rules/patterns/parse-edge.ts";
import { rateText } from "../../../rules/patterns/parse-rate.ts";
import type { RuleSpec } from "../../../rules/spec.ts";
import { describeFlowControl } from "../schema/flow-control-schema.ts";
import { describeGuard } from "../schema/guard-schema.ts";
import { describeLane } from "../schema/lane-schema.ts";
import { describeChanges } from "./describe-changes.ts";
import { describeWhen } from "./describe-when.ts";

/**
 * The effective document as YAML in its own form, with defaults and without tests. Of secrets it shows where
 * they are read from. Header values, queries of addresses and values written into bodies are "[set]", which
 * does not load. Without any of these, the text means the same document.
 */
export function describeDocument(document: DrainsDocument): string {
  const { paused, archive, sources, drains, indexes } = document;
  const described = defined({
    version: 1,
    paused,
    archive:
      archive && defined({ dir: archive.dir, keep: durationText(archive.keepMs), volume: archive.volume }),
    sources: named(sources, describeSource),
    drains: named(drains, describeDrain),
    indexes: indexes.length === 0 ? undefined : named(indexes, describeIndex),
  });
  return `# hash ${document.hash}\n${stringify(described, { aliasDuplicateObjects: false })}`;
}

function named<Item extends { readonly name: string }>(
  items: readonly Item[],
  describe: (item: Item) => unknown,
): unknown {
  return Object.fromEntries(items.map((item) => [item.name, describe(item)]));
}

function describeSource(source: SourceConfig): unknown {
  const { id, isIdWritten, url, token, listByIds, callbacks } = source;
  return defined({
    // An id that is written means more than the same id by default.
    id: isIdWritten === true ? id : undefined,
    url,
    token: token.kind === "settings" ? undefined : describeRef(token),
    retention: durationText(source.retentionMs),
    dedupWindow: durationText(source.dedupWindowMs),
    census: durationText(source.censusEveryMs),
    listByIds,
    callbacks: callbacks && { url: callbacks.url, keys: callbacks.keys.map(describeRef) },
  });
}

function describeRef(ref: SecretRef): unknown {
  switch (ref.kind) {
    case "file":
      return { file: ref.path };
    case "env":
      return { env: ref.name };
    case "settings":
      return "from the settings";
  }
}

function describeDrain(drain: DrainConfig): unknown {
  return {
    source: drain.source.name,
    mode: drain.mode,
    paused: drain.paused,
    schedule: { ...describeSchedule(drain.schedule), full: durationText(drain.fullEveryMs) },
    minAge: durationText(drain.minAgeMs),
    attempts: {
      max: drain.attempts.max,
      wait: drain.attempts.waitMs.map(durationText),
      then: drain.attempts.then,
    },
    lane: describeLane(drain.lane),
    limits: describeLimits(drain.limits),
    flowControl: drain.flowControl === undefined ? "none" : describeFlowControl(drain.flowControl),
    onLoss: drain.onLoss,
    unknownOutcome: drain.unknownOutcome,
    afterLedgerLoss: drain.afterLedgerLoss,
    beforeExpiry: {
      within: durationText(drain.beforeExpiry.withinMs),
      then: drain.beforeExpiry.then,
    },
    otherwise: drain.otherwise,
    select: defined({
      ...drain.select,
      url: drain.select.url?.map(maskQuery),
      fromDate: drain.dates?.from === undefined ? undefined : describeEdge(drain.dates.from),
      toDate: drain.dates?.to === undefined ? undefined : describeEdge(drain.dates.to),
    }),
    ...(drain.guards.length === 0 ? {} : { guards: drain.guards.map(describeGuard) }),
    rules: drain.rules.map(describeRule),
  };
}

function describeLimits({ publish, perHost, perPass, perDay }: LimitsConfig): unknown {
  return {
    publish: publish === undefined ? "none" : rateText(publish),
    perHost: perHost === undefined ? "none" : rateText(perHost),
    perPass: perPass ?? "none",
    perDay: perDay ?? "none",
  };
}

function describeEdge(edge: DateEdge): string {
  if (edge.kind === "at") return momentText(edge.at);
  return edge.ms === 0 ? "now" : `-${durationText(edge.ms)}`;
}

function describeSchedule(schedule: Schedule): Record<string, unknown> {
  if (schedule.kind === "every") return { every: durationText(schedule.everyMs) };
  return defined({ cron: schedule.pattern, timezone: schedule.timezone });
}

function describeRule(rule: RuleSpec): unknown {
  const { set, limit, ignoreAfter } = rule;
  return defined({
    name: rule.name,
    when: describeWhen(rule.when),
    then: rule.then,
    set: set === undefined ? undefined : describeChanges(set),
    limit: limit === undefined ? undefined : rateText(limit),
    ignoreAfter: ignoreAfter === undefined ? undefined : momentText(ignoreAfter),
  });
}

function describeIndex(index: IndexConfig): unknown {
  return {
    id: index.id,
    credentials: { user: describeRef(index.user), password: describeRef(index.password) },
    schedule: describeSchedule(index.schedule),
    period: index.period,
  };
}
