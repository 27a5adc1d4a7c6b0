import { stringify } from "yaml";
import type {
  DrainConfig,
  DrainsDocument,
  IndexConfig,
  Schedule,
  SecretRef,
  SourceConfig,
} from "../../ports/drains.ts";
import type { ItemChanges, RuleSpec } from "../../rules/spec.ts";
import { durationText } from "../duration-text.ts";
import { describeWhen } from "./describe-condition.ts";
import { withoutQuery } from "./without-query.ts";

/**
 * The effective document as YAML of its own form, defaults filled in. Secrets are told by where they are read from; header
 * values and queries of addresses as "[set]", which does not load. Where there are none of these, the text means the same.
 */
export function describeDocument(document: DrainsDocument): string {
  const described = {
    version: 1,
    paused: document.paused,
    sources: named(document.sources, describeSource),
    drains: named(document.drains, describeDrain),
    ...(document.indexes.length === 0 ? {} : { indexes: named(document.indexes, describeIndex) }),
  };
  return `# hash ${document.hash}\n${stringify(described, { aliasDuplicateObjects: false })}`;
}

function named<Item extends { readonly name: string }>(
  items: readonly Item[],
  describe: (item: Item) => unknown,
): unknown {
  return Object.fromEntries(items.map((item) => [item.name, describe(item)]));
}

function describeSource(source: SourceConfig): unknown {
  return {
    id: source.id,
    ...(source.url === undefined ? {} : { url: source.url }),
    ...(source.token.kind === "settings" ? {} : { token: describeRef(source.token) }),
    retention: durationText(source.retentionMs),
    dedupWindow: durationText(source.dedupWindowMs),
  };
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
    unknownOutcome: drain.unknownOutcome,
    otherwise: drain.otherwise,
    select: {
      ...drain.select,
      ...(drain.select.url === undefined ? {} : { url: drain.select.url.map(withoutQuery) }),
    },
    rules: drain.rules.map(describeRule),
  };
}

function describeSchedule(schedule: Schedule): Record<string, unknown> {
  if (schedule.kind === "every") return { every: durationText(schedule.everyMs) };
  return {
    cron: schedule.pattern,
    ...(schedule.timezone === undefined ? {} : { timezone: schedule.timezone }),
  };
}

function describeRule(rule: RuleSpec): unknown {
  return {
    name: rule.name,
    when: describeWhen(rule.when),
    then: rule.then,
    ...(rule.set === undefined ? {} : { set: describeChanges(rule.set) }),
    ...(rule.ignoreAfter === undefined ? {} : { ignoreAfter: new Date(rule.ignoreAfter).toISOString() }),
  };
}

function describeChanges(changes: ItemChanges): unknown {
  const { destination, queue, headers, delay, retries } = changes;
  return {
    ...(destination === undefined
      ? {}
      : { destination: typeof destination === "string" ? withoutQuery(destination) : destination }),
    ...(queue === undefined ? {} : { queue }),
    ...(headers === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, value === null ? null : "[set]"]),
          ),
        }),
    ...(delay === undefined
      ? {}
      : { delay: delay.kind === "fixed" ? durationText(delay.ms) : { spread: durationText(delay.ms) } }),
    ...(retries === undefined ? {} : { retries }),
  };
}

function describeIndex(index: IndexConfig): unknown {
  return {
    id: index.id,
    credentials: { user: describeRef(index.user), password: describeRef(index.password) },
    schedule: describeSchedule(index.schedule),
    period: index.period,
  };
}
