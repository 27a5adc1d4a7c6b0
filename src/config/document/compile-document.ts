import { defined } from "../../job/message/defined.ts";
import { builtInAuto } from "../../job/contracts/auto-rate.ts";
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
} from "../../job/contracts/drains-document.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { Select } from "../../job/message/select.ts";
import { compileRules } from "../../job/rules/compile-rules.ts";
import type { Condition, RuleSpec } from "../../job/rules/rule-spec.ts";
import type { ValuePath } from "../problem.ts";
import { asMap } from "./checks/raw-document.ts";
import { defaultRuleName } from "./checks/rule-checks.ts";
import { mapped, toDocumentInEffect } from "./in-effect.ts";
import { toDocumentHash, toRulesHash } from "./meaning-hashes.ts";
import type { SecretRefKeys } from "./schema/building-blocks.ts";
import {
  documentSchema,
  type DocumentKeys,
  type IndexKeys,
  type NotifyKeys,
  type SourceKeys,
} from "./schema/document-schema.ts";
import type { CommonKeys, DrainKeys, RuleKeys } from "./schema/drain-schema.ts";
import { toFlowControl, type FlowControlKeys } from "./schema/flow-control-schema.ts";
import { complementOf, type GuardKeys } from "./schema/guard-schema.ts";
import { openFromOf } from "./schema/lane-schema.ts";
import type { WhenKeys } from "./schema/when-schema.ts";

/** Keys that a document in effect has, though a written one may leave them out. */
type Known<Keys, Names extends keyof Keys = keyof Keys> = Keys & {
  readonly [Name in Names]-?: Exclude<Keys[Name], undefined>;
};

/** `read`: what the schema makes of `written`. */
export function compileDocument(read: DocumentKeys, written: unknown): DrainsDocument {
  const keys = readInEffect(written);
  const sources = Object.entries(keys.sources).map(([name, source]) => toSource(name, source ?? {}));
  const drains = Object.entries(keys.drains).map(([name, drain]) => {
    const source = sources.find((candidate) => candidate.name === drain.source);
    if (source === undefined) throw new TypeError(`drain ${name} has no source`);
    const { rules, tests } = read.drains[name] ?? {};
    return toDrain(name, { ...drain, rules, tests }, source);
  });
  const { paused = false, archive } = keys;
  const document = {
    paused,
    ...(archive && { archive: defined({ dir: archive.dir, keepMs: archive.keep!, volume: archive.volume }) }),
    sources,
    drains,
    indexes: Object.entries(keys.indexes ?? {}).map(([name, index]) => toIndex(name, index)),
    notify: Object.entries(keys.notify ?? {}).map(([name, one]) => toNotifyTarget(name, one, sources)),
  };
  return { hash: toDocumentHash(document), ...document };
}

/** Without rules and their tests: they have no defaults, and reading expressions twice would take as long again. */
function readInEffect(written: unknown): DocumentKeys {
  const document = toDocumentInEffect(written);
  const drains = mapped(document["drains"], (drain) =>
    defined({ ...asMap(drain), rules: undefined, tests: undefined }),
  );
  return documentSchema.parse({ ...document, drains });
}

function toSource(name: string, keys: SourceKeys): SourceConfig {
  const source = keys as Known<SourceKeys, "retention" | "dedupWindow" | "census">;
  const { callbacks } = source;
  return defined({
    id: (source.id ?? name) as SourceId,
    name,
    isIdWritten: source.id === undefined ? undefined : (true as const),
    url: source.url,
    token: source.token === undefined ? { kind: "settings" as const } : toSecretRef(source.token),
    retentionMs: source.retention,
    dedupWindowMs: source.dedupWindow,
    censusEveryMs: source.census,
    listByIds: source.listByIds === true ? (true as const) : undefined,
    keepsCredentials: source.urlCredentials === "send" ? (true as const) : undefined,
    maxParallelism: source.maxParallelism,
    brake: source.brake,
    watchDeliveries: source.watchDeliveries === true ? (true as const) : undefined,
    serviceRetry: source.serviceRetry === true ? (true as const) : undefined,
    callbacks:
      callbacks === undefined ? undefined : { url: callbacks.url, keys: callbacks.keys.map(toSecretRef) },
  });
}

function toSecretRef(ref: SecretRefKeys): SecretRef {
  return ref.file === undefined ? { kind: "env", name: ref.env ?? "" } : { kind: "file", path: ref.file };
}

type Part<Name extends keyof CommonKeys> = Known<NonNullable<CommonKeys[Name]>>;
type DrainInEffect = Known<DrainKeys> & {
  readonly [Name in "attempts" | "limits" | "beforeExpiry"]: Part<Name>;
} & { readonly lane: Part<"lane"> | null };

function toDrain(name: string, keys: DrainKeys, source: SourceConfig): DrainConfig {
  const drain = keys as DrainInEffect;
  const { lane, schedule, attempts, beforeExpiry, flowControl, otherwise } = drain;
  const limits = toLimits(drain.limits, lane?.watch ?? builtInAuto.watchMs);
  const { fromDate, toDate } = keys.select ?? {};
  const effective = {
    mode: drain.mode,
    schedule: toSchedule(schedule),
    fullEveryMs: schedule.full!,
    minAgeMs: drain.minAge,
    attempts: { max: attempts.max, waitMs: attempts.wait, then: attempts.then },
    ...(lane && { lane: toLane(lane, limits) }),
    limits,
    ...(flowControl && { flowControl: toFlowControl(flowControl as FlowControlKeys) }),
    onLoss: drain.onLoss,
    unknownOutcome: drain.unknownOutcome,
    afterLedgerLoss: drain.afterLedgerLoss,
    beforeExpiry: { withinMs: beforeExpiry.within, then: beforeExpiry.then },
    otherwise,
    rules: (keys.rules ?? []).map(toRule),
  };
  return {
    name: name as DrainName,
    source,
    paused: drain.paused,
    ...effective,
    select: toSelect(keys.select ?? {}),
    ...((fromDate ?? toDate) !== undefined && { dates: defined({ from: fromDate, to: toDate }) }),
    guards: (keys.guards ?? []).map(toGuard),
    tests: keys.tests ?? [],
    route: compileRules(effective.rules, otherwise),
    rulesHash: toRulesHash({ ...effective, source }),
  };
}

function toLane(lane: Part<"lane">, limits: LimitsConfig): LaneConfig {
  const { canary, watch, haltAt, probeEvery } = lane;
  const openFrom = openFromOf({ canary, watchMs: watch }, limits);
  return { canary, watchMs: watch, haltAt, probeEveryMs: probeEvery, openFrom };
}

function toLimits({ perHost, ...others }: Part<"limits">, watchMs: number): LimitsConfig {
  const limits = {
    ...others,
    perHost: perHost !== null && "fromPerSecond" in perHost ? { ...perHost, watchMs } : perHost,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)) as LimitsConfig;
}

function toSchedule({ every, cron, timezone }: NonNullable<IndexKeys["schedule"]>): Schedule {
  return cron === undefined
    ? { kind: "every", everyMs: every! }
    : defined({ kind: "cron" as const, pattern: cron, timezone });
}

/** Without `resume`, a guard ends as soon as it would no longer hold. */
function toGuard(guard: GuardKeys): GuardConfig {
  const { field, pattern } = guard.hold;
  return {
    index: guard.index,
    field,
    hold: pattern,
    resume: guard.resume?.pattern ?? complementOf(pattern),
    whenStale: guard.whenStale!,
  };
}

export function toSelect(select: NonNullable<DrainKeys["select"]>): Select {
  const { fromDate: _from, toDate: _to, cursor: _cursor, count: _count, ...filters } = select;
  return defined({ ...filters, not: filters.not && defined(filters.not) });
}

function toRule({ name, when, ...acts }: RuleKeys, index: number): RuleSpec {
  return defined({ name: name ?? defaultRuleName(index), when: toCondition(when ?? "any"), ...acts });
}

function toIndex(name: string, keys: IndexKeys): IndexConfig {
  const index = keys as Known<IndexKeys>;
  return {
    name,
    id: index.id,
    user: toSecretRef(index.credentials.user),
    password: toSecretRef(index.credentials.password),
    schedule: toSchedule(index.schedule),
    period: index.period,
  };
}

function toNotifyTarget(
  name: string,
  { url, form, secret, events, sources, drains, allowPrivate, every, digest, timezone }: NotifyKeys,
  known: readonly SourceConfig[],
): NotifyTarget {
  return defined({
    name,
    url: typeof url === "string" ? { kind: "written" as const, url } : toSecretRef(url),
    form,
    secret: secret === undefined ? undefined : toSecretRef(secret),
    events: events!,
    sources: sources && known.filter((source) => sources.includes(source.name)).map(({ id }) => id),
    drains: drains as DrainName[] | undefined,
    allowPrivate: allowPrivate!,
    everyMs: every!,
    digest: digest === undefined ? undefined : defined({ kind: "cron" as const, pattern: digest, timezone }),
  });
}

export type Places = Map<Condition, ValuePath>;

/** Keys are and; a single test stands for itself. `path` leads to the `when`; `places` gets that of each part. */
export function toCondition(when: WhenKeys | "any", path: ValuePath = [], places?: Places): Condition {
  const placed = (condition: Condition, ...way: ValuePath): Condition => {
    places?.set(condition, [...path, ...way]);
    return condition;
  };
  const inner = (keys: WhenKeys, ...way: ValuePath): Condition =>
    toCondition(keys, [...path, ...way], places);

  if (when === "any") return placed({ kind: "any" });
  const { tests, all = [], any, not } = when;
  const of = [
    ...tests.map(({ test, place }) => placed(test, ...place)),
    ...all.map((keys, index) => inner(keys, "all", index)),
    ...(any === undefined
      ? []
      : [placed({ kind: "some", of: any.map((keys, index) => inner(keys, "any", index)) }, "any")]),
    ...(not === undefined ? [] : [placed({ kind: "not", of: inner(not, "not") }, "not")]),
  ];
  const [only, ...others] = of;
  return only !== undefined && others.length === 0 ? only : placed({ kind: "all", of });
}
