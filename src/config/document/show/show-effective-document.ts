import type { Filters } from "../../../job/message/select.ts";
import { stringify } from "yaml";
import { defined } from "../../../job/message/defined.ts";
import type { BodyChange, ItemChanges } from "../../../job/message/item-changes.ts";
import type { JsonValue } from "../../../job/message/json-value.ts";
import { builtInAuto, isAutoRate, type AutoRate } from "../../../job/contracts/auto-rate.ts";
import type {
  DrainConfig,
  DrainsDocument,
  GuardConfig,
  IndexConfig,
  LaneConfig,
  LimitsConfig,
  NotifyTarget,
  Schedule,
  SecretRef,
  SourceConfig,
} from "../../../job/contracts/drains-document.ts";
import { comparisonText, momentText } from "../../../job/rules/patterns/write-number-patterns.ts";
import { maskQuery } from "../../../job/rules/show-field-test.ts";
import { durationText } from "../../../job/rules/durations.ts";
import type { DateEdge } from "../../../job/rules/patterns/parse-dates.ts";
import { rateText } from "../../../job/rules/patterns/parse-rate.ts";
import type { RuleSpec } from "../../../job/rules/rule-spec.ts";
import { showWhen } from "./show-when.ts";

/** As YAML, with the hash above it. */
export function showEffectiveDocument(document: DrainsDocument): string {
  return `# hash ${document.hash}\n${stringify(toEffectiveDocument(document), { aliasDuplicateObjects: false })}`;
}

/**
 * The effective document in its own form, with defaults and without tests. Of secrets it shows where they are
 * read from. Header values, queries of addresses and values written into bodies are "[set]", which does not
 * load. Without any of these, it means the same document.
 */
export function toEffectiveDocument(document: DrainsDocument): object {
  const { paused, archive, sources, drains, indexes, notify } = document;
  return defined({
    version: 1,
    paused,
    archive: archive && withSpans(archive),
    sources: named(sources, showSource),
    drains: named(drains, showDrain),
    indexes: indexes.length === 0 ? undefined : named(indexes, showIndex),
    notify: notify.length === 0 ? undefined : named(notify, (target) => showTarget(target, document.sources)),
  });
}

/**
 * Times in ms lose the unit in their names, and what is undefined is left out: `keepMs` is written as `keep`.
 */
function withSpans(fields: object): Record<string, unknown> {
  const written = Object.entries(defined(fields)).map(([key, value]: [string, unknown]) => {
    if (!key.endsWith("Ms")) return [key, value];
    const spans = (Array.isArray(value) ? value : [value]) as readonly number[];
    const texts = spans.map(durationText);
    return [key.slice(0, -2), Array.isArray(value) ? texts : texts[0]];
  });
  return Object.fromEntries(written) as Record<string, unknown>;
}

function named<Item extends { readonly name: string }>(
  items: readonly Item[],
  show: (item: Item) => unknown,
): unknown {
  return Object.fromEntries(items.map((item) => [item.name, show(item)]));
}

function showSource(source: SourceConfig): unknown {
  const {
    id,
    isIdWritten,
    url,
    token,
    listByIds,
    keepsCredentials,
    callbacks,
    watchDeliveries,
    serviceRetry,
    brake,
    maxParallelism,
  } = source;
  return defined({
    // An id that is written means more than the same id by default.
    id: isIdWritten === true ? id : undefined,
    url,
    token: token.kind === "settings" ? undefined : showRef(token),
    retention: durationText(source.retentionMs),
    dedupWindow: durationText(source.dedupWindowMs),
    census: durationText(source.censusEveryMs),
    listByIds,
    urlCredentials: keepsCredentials === true ? "send" : undefined,
    watchDeliveries,
    serviceRetry,
    brake,
    maxParallelism,
    callbacks: callbacks && { url: callbacks.url, keys: callbacks.keys.map(showRef) },
  });
}

function showRef(ref: SecretRef): unknown {
  switch (ref.kind) {
    case "file":
      return { file: ref.path };
    case "env":
      return { env: ref.name };
    case "settings":
      return "from the settings";
  }
}

function showDrain(drain: DrainConfig): unknown {
  return {
    source: drain.source.name,
    mode: drain.mode,
    paused: drain.paused,
    schedule: { ...showSchedule(drain.schedule), full: durationText(drain.fullEveryMs) },
    minAge: durationText(drain.minAgeMs),
    attempts: withSpans(drain.attempts),
    lane: drain.lane === undefined ? "none" : showLane(drain.lane),
    limits: showLimits(drain.limits),
    flowControl: drain.flowControl === undefined ? "none" : withSpans(drain.flowControl),
    onLoss: drain.onLoss,
    unknownOutcome: drain.unknownOutcome,
    afterLedgerLoss: drain.afterLedgerLoss,
    beforeExpiry: withSpans(drain.beforeExpiry),
    otherwise: drain.otherwise,
    select: defined({
      ...showFilters(drain.select),
      not: drain.select.not && showFilters(drain.select.not),
      fromDate: drain.dates?.from === undefined ? undefined : showEdge(drain.dates.from),
      toDate: drain.dates?.to === undefined ? undefined : showEdge(drain.dates.to),
    }),
    ...(drain.guards.length === 0 ? {} : { guards: drain.guards.map(showGuard) }),
    rules: drain.rules.map(showRule),
  };
}

function showFilters(filters: Filters): Filters {
  return defined({ ...filters, url: filters.url?.map(maskQuery) });
}

function showLane(lane: LaneConfig): unknown {
  return withSpans({ ...lane, haltAt: `${Math.round(lane.haltAt * 100)}%`, openFrom: undefined });
}

function showGuard(guard: GuardConfig): unknown {
  return {
    index: guard.index,
    hold: `${guard.field} ${comparisonText(guard.hold)}`,
    resume: comparisonText(guard.resume),
    whenStale: guard.whenStale,
  };
}

function showLimits({ publish, perHost, perPass, perDay }: LimitsConfig): unknown {
  return {
    publish: publish === undefined ? "none" : rateText(publish),
    perHost: perHost === undefined ? "none" : isAutoRate(perHost) ? showAuto(perHost) : rateText(perHost),
    perPass: perPass ?? "none",
    perDay: perDay ?? "none",
  };
}

function showAuto({ fromPerSecond, toPerSecond }: AutoRate): unknown {
  const isBuiltIn = fromPerSecond === builtInAuto.fromPerSecond && toPerSecond === builtInAuto.toPerSecond;
  return isBuiltIn ? "auto" : { from: `${fromPerSecond}/s`, to: `${toPerSecond}/s` };
}

function showEdge(edge: DateEdge): string {
  if (edge.kind === "at") return momentText(edge.at);
  return edge.ms === 0 ? "now" : `-${durationText(edge.ms)}`;
}

function showSchedule(schedule: Schedule): Record<string, unknown> {
  if (schedule.kind === "every") return { every: durationText(schedule.everyMs) };
  return defined({ cron: schedule.pattern, timezone: schedule.timezone });
}

function showRule({ name, when, then, set, via, limit, ignoreAfter }: RuleSpec): unknown {
  return defined({
    name,
    when: showWhen(when),
    then,
    set: set && showChanges(set),
    via,
    limit: limit && rateText(limit),
    ignoreAfter: ignoreAfter === undefined ? undefined : momentText(ignoreAfter),
  });
}

function showIndex(index: IndexConfig): unknown {
  return {
    id: index.id,
    credentials: { user: showRef(index.user), password: showRef(index.password) },
    schedule: showSchedule(index.schedule),
    period: index.period,
  };
}

function showTarget(
  { url, form, secret, events, sources, drains, allowPrivate, everyMs, digest }: NotifyTarget,
  known: readonly SourceConfig[],
): unknown {
  return defined({
    url: url.kind === "written" ? showNotifyUrl(url.url) : showRef(url),
    form,
    secret: secret && showRef(secret),
    events,
    sources: sources && known.filter(({ id }) => sources.includes(id)).map(({ name }) => name),
    drains,
    allowPrivate,
    every: durationText(everyMs),
    digest: digest?.pattern,
    timezone: digest?.timezone,
  });
}

/** The path of a webhook is often its secret. */
function showNotifyUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return pathname === "/" && search === "" ? origin : `${origin}/[set]`;
}

/**
 * The changes of a republish, in the document's own form. Header values, values written into bodies, and
 * queries and credentials of addresses are shown as "[set]".
 */
function showChanges(changes: ItemChanges): Record<string, unknown> {
  const { destination, headers, body, delay, callback, failureCallback, flowControl } = changes;
  const span = delay && durationText(delay.ms);
  return withSpans({
    ...changes,
    destination: typeof destination === "string" ? maskQuery(destination) : destination,
    headers: headers && masked(headers),
    body: body && showBody(body),
    delay: delay?.kind === "spread" ? { spread: span } : span,
    callback: showCallback(callback),
    failureCallback: showCallback(failureCallback),
    flowControl: flowControl && withSpans(flowControl),
  });
}

function showBody(change: BodyChange): unknown {
  if (change.kind === "merge") return { merge: masked(change.value) };
  return {
    patch: change.operations.map((operation) =>
      "value" in operation ? { ...operation, value: masked(operation.value) } : operation,
    ),
  };
}

function masked(value: JsonValue): unknown {
  if (value === null || typeof value !== "object") return value === null ? null : "[set]";
  if (Array.isArray(value)) return "[set]";
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}

function showCallback(url: string | null | undefined): string | null | undefined {
  if (url === undefined || url === null) return url;
  return maskQuery(url.replace(/^(https?:\/\/)[^/?#@]*@/i, "$1[set]@"));
}
