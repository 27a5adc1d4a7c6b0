import { defined } from "../../job/message/defined.ts";
import type {
  ArchiveConfig,
  DrainConfig,
  DrainsDocument,
  GuardConfig,
  IndexConfig,
  NotifyTarget,
  SecretRef,
  SourceConfig,
} from "../../job/contracts/drains-document.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { Select } from "../../job/message/select.ts";
import { compileRules } from "../../job/rules/compile-rules.ts";
import type { Condition, RuleSpec } from "../../job/rules/rule-spec.ts";
import type { ValuePath } from "../problem.ts";
import { defaultRuleName } from "./checks/rule-checks.ts";
import { builtIn, toEffective, toSchedule } from "./apply-defaults.ts";
import { toDocumentHash, toRulesHash } from "./meaning-hashes.ts";
import type { SecretRefKeys } from "./schema/building-blocks.ts";
import type { DocumentKeys, IndexKeys, NotifyKeys, SourceKeys } from "./schema/document-schema.ts";
import type { DrainKeys, RuleKeys } from "./schema/drain-schema.ts";
import { complementOf, type GuardKeys } from "./schema/guard-schema.ts";
import type { WhenKeys } from "./schema/when-schema.ts";

export function compileDocument(keys: DocumentKeys): DrainsDocument {
  const paused = keys.paused ?? builtIn.paused;
  const sources = Object.entries(keys.sources).map(([name, source]) => toSource(name, source ?? {}));
  const drains = Object.entries(keys.drains).map(([name, drain]) => {
    const wanted = drain.source ?? sources[0]?.name;
    const source = sources.find((candidate) => candidate.name === wanted);
    if (source === undefined) throw new TypeError(`drain ${name} has no source`);
    return toDrain(name, drain, keys.defaults ?? {}, source, paused);
  });
  const indexes = Object.entries(keys.indexes ?? {}).map(([name, index]) => toIndex(name, index));
  const archive = keys.archive === undefined ? {} : { archive: toArchive(keys.archive) };
  const notify = Object.entries(keys.notify ?? {}).map(([name, one]) => toNotifyTarget(name, one, sources));
  const document = { paused, ...archive, sources, drains, indexes, notify };
  return { hash: toDocumentHash(document), ...document };
}

function toSource(name: string, source: NonNullable<SourceKeys>): SourceConfig {
  const { callbacks } = source;
  return defined({
    id: (source.id ?? name) as SourceId,
    name,
    isIdWritten: source.id === undefined ? undefined : (true as const),
    url: source.url,
    token: source.token === undefined ? { kind: "settings" as const } : toSecretRef(source.token),
    retentionMs: source.retention ?? builtIn.source.retention,
    dedupWindowMs: source.dedupWindow ?? builtIn.source.dedupWindow,
    censusEveryMs: source.census ?? builtIn.source.census,
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

function toDrain(
  name: string,
  drain: DrainKeys,
  defaults: NonNullable<DocumentKeys["defaults"]>,
  source: SourceConfig,
  documentPaused: boolean,
): DrainConfig {
  const effective = toEffective(defaults, drain);
  const rules = (drain.rules ?? []).map(toRule);
  const { fromDate, toDate } = drain.select ?? {};
  return {
    name: name as DrainName,
    source,
    paused: documentPaused || (drain.paused ?? builtIn.paused),
    ...effective,
    select: toSelect(drain.select ?? {}),
    ...((fromDate ?? toDate) !== undefined && { dates: defined({ from: fromDate, to: toDate }) }),
    guards: (drain.guards ?? []).map(toGuard),
    rules,
    tests: drain.tests ?? [],
    route: compileRules(rules, effective.otherwise),
    rulesHash: toRulesHash({ ...effective, rules, source }),
  };
}

function toArchive({ dir, keep, volume }: NonNullable<DocumentKeys["archive"]>): ArchiveConfig {
  return defined({ dir, keepMs: keep ?? builtIn.archiveKeepMs, volume });
}

/** Without `resume`, a guard ends as soon as it would no longer hold. */
function toGuard(guard: GuardKeys): GuardConfig {
  const { field, pattern } = guard.hold;
  return {
    index: guard.index,
    field,
    hold: pattern,
    resume: guard.resume?.pattern ?? complementOf(pattern),
    whenStale: guard.whenStale ?? builtIn.guardWhenStale,
  };
}

export function toSelect(select: NonNullable<DrainKeys["select"]>): Select {
  const { fromDate: _from, toDate: _to, cursor: _cursor, count: _count, ...filters } = select;
  return defined({ ...filters, not: filters.not && defined(filters.not) });
}

function toRule({ name, when, ...acts }: RuleKeys, index: number): RuleSpec {
  return defined({ name: name ?? defaultRuleName(index), when: toCondition(when ?? "any"), ...acts });
}

function toIndex(name: string, index: IndexKeys): IndexConfig {
  return {
    name,
    id: index.id,
    user: toSecretRef(index.credentials.user),
    password: toSecretRef(index.credentials.password),
    schedule: toSchedule([index.schedule], builtIn.indexEveryMs),
    period: index.period ?? builtIn.indexPeriod,
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
    events: events ?? builtIn.notify.events,
    sources: sources && known.filter((source) => sources.includes(source.name)).map(({ id }) => id),
    drains: drains as DrainName[] | undefined,
    allowPrivate: allowPrivate ?? builtIn.notify.allowPrivate,
    everyMs: every ?? builtIn.notify.every,
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
