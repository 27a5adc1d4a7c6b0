import type {
  ArchiveConfig,
  DrainConfig,
  DrainsDocument,
  GuardConfig,
  IndexConfig,
  SecretRef,
  SourceConfig,
} from "../../ports/drains.ts";
import type { DrainName, SourceId } from "../../ports/ids.ts";
import type { Select } from "../../ports/service.ts";
import { compileRules } from "../../rules/compile-rules.ts";
import type { RuleSpec } from "../../rules/spec.ts";
import type { DocumentKeys, IndexKeys, SecretRefKeys, SourceKeys } from "./schema/document-schema.ts";
import type { DrainKeys } from "./schema/drain-schema.ts";
import { builtIn, toEffective, toSchedule } from "./describe/effective.ts";
import { toDocumentHash, toRulesHash } from "./describe/meaning-hash.ts";
import { defaultRuleName } from "./checks/rule-checks.ts";
import type { RuleKeys } from "./schema/rule-schema.ts";
import { complementOf, type GuardKeys } from "./schema/guard-schema.ts";
import { toChanges } from "./to-changes.ts";
import { toCondition } from "./to-condition.ts";
import { toRuleTest } from "./to-rule-test.ts";

/** The compiled document. Expects keys that have passed the schema and all checks. */
export function compileDocument(keys: DocumentKeys): DrainsDocument {
  const paused = keys.paused ?? false;
  const sources = Object.entries(keys.sources).map(([name, source]) => toSource(name, source ?? {}));
  const drains = Object.entries(keys.drains).map(([name, drain]) => {
    const wanted = drain.source ?? sources[0]?.name;
    const source = sources.find((candidate) => candidate.name === wanted);
    // Only a missing check can lead here.
    if (source === undefined) throw new TypeError(`drain ${name} has no source`);
    return toDrain(name, drain, keys.defaults ?? {}, source, paused);
  });
  const indexes = Object.entries(keys.indexes ?? {}).map(([name, index]) => toIndex(name, index));
  const archive = keys.archive === undefined ? {} : { archive: toArchive(keys.archive) };
  const document = { paused, ...archive, sources, drains, indexes };
  return { hash: toDocumentHash(document), ...document };
}

function toSource(name: string, source: NonNullable<SourceKeys>): SourceConfig {
  return {
    id: (source.id ?? name) as SourceId,
    name,
    ...(source.id === undefined ? {} : { isIdWritten: true }),
    ...(source.url === undefined ? {} : { url: source.url }),
    token: source.token === undefined ? { kind: "settings" } : toSecretRef(source.token),
    retentionMs: source.retention ?? builtIn.sourceRetentionMs,
    dedupWindowMs: source.dedupWindow ?? builtIn.sourceDedupWindowMs,
    censusEveryMs: source.census ?? builtIn.sourceCensusEveryMs,
    ...(source.listByIds === true ? { listByIds: true } : {}),
    ...(source.callbacks === undefined
      ? {}
      : { callbacks: { url: source.callbacks.url, keys: source.callbacks.keys.map(toSecretRef) } }),
  };
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
  return {
    name: name as DrainName,
    source,
    paused: documentPaused || (drain.paused ?? false),
    ...effective,
    select: toSelect(drain.select ?? {}),
    ...toDates(drain.select ?? {}),
    guards: (drain.guards ?? []).map(toGuard),
    rules,
    tests: (drain.tests ?? []).map(toRuleTest),
    route: compileRules(rules, effective.otherwise),
    rulesHash: toRulesHash({ ...effective, rules, source }),
  };
}

function toArchive({ dir, keep, volume }: NonNullable<DocumentKeys["archive"]>): ArchiveConfig {
  return { dir, keepMs: keep ?? builtIn.archiveKeepMs, ...(volume === undefined ? {} : { volume }) };
}

/** Without a word on when to resume, a guard lets go as soon as it would no longer hold. */
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

function toDates({ fromDate, toDate }: NonNullable<DrainKeys["select"]>): Pick<DrainConfig, "dates"> {
  if (fromDate === undefined && toDate === undefined) return {};
  return {
    dates: {
      ...(fromDate === undefined ? {} : { from: fromDate }),
      ...(toDate === undefined ? {} : { to: toDate }),
    },
  };
}

/** What the service filters by; dates are not among it. */
export function toSelect(select: NonNullable<DrainKeys["select"]>): Select {
  const lists: { -readonly [Key in keyof Select]: Select[Key] } = {};
  if (select.messageId !== undefined) lists.messageId = select.messageId;
  for (const key of ["url", "topicName", "scheduleId", "queueName", "callerIp", "label"] as const) {
    const value = select[key];
    if (value !== undefined) lists[key] = toSet(value);
  }
  if (select.responseStatus !== undefined) lists.responseStatus = toSet(select.responseStatus);
  return lists;
}

function toSet<Value extends string | number>(value: Value | readonly Value[]): readonly Value[] {
  return [...new Set(typeof value === "object" ? value : [value])];
}

function toRule(rule: RuleKeys, index: number): RuleSpec {
  return {
    name: rule.name ?? defaultRuleName(index),
    when: toCondition(rule.when ?? "any"),
    then: rule.then,
    ...(rule.set === undefined ? {} : { set: toChanges(rule.set) }),
    ...(rule.limit === undefined ? {} : { limit: rule.limit }),
    ...(rule.ignoreAfter === undefined ? {} : { ignoreAfter: rule.ignoreAfter }),
  };
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
