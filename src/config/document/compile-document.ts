import type {
  DrainConfig,
  DrainsDocument,
  IndexConfig,
  SecretRef,
  SourceConfig,
} from "../../ports/drains.ts";
import type { DrainName, SourceId } from "../../ports/ids.ts";
import type { Select } from "../../ports/service.ts";
import { compileRules } from "../../rules/compile-rules.ts";
import type { ItemChanges, RuleSpec } from "../../rules/spec.ts";
import type { DocumentKeys, DrainKeys, IndexKeys, SecretRefKeys, SourceKeys } from "./document-schema.ts";
import { builtIn, toEffective, toSchedule } from "./effective.ts";
import { toDocumentHash, toRulesHash } from "./meaning-hash.ts";
import { defaultRuleName } from "./rule-checks.ts";
import type { RuleKeys } from "./rule-schema.ts";
import { toCondition } from "./to-condition.ts";

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
  const document = { paused, sources, drains, indexes };
  return { hash: toDocumentHash(document), ...document };
}

function toSource(name: string, source: NonNullable<SourceKeys>): SourceConfig {
  return {
    id: (source.id ?? name) as SourceId,
    name,
    ...(source.url === undefined ? {} : { url: source.url }),
    token: source.token === undefined ? { kind: "settings" } : toSecretRef(source.token),
    retentionMs: source.retention ?? builtIn.sourceRetentionMs,
    dedupWindowMs: source.dedupWindow ?? builtIn.sourceDedupWindowMs,
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
    rules,
    route: compileRules(rules, effective.otherwise),
    rulesHash: toRulesHash({ ...effective, rules }),
  };
}

function toSelect(select: NonNullable<DrainKeys["select"]>): Select {
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
    ...(rule.ignoreAfter === undefined ? {} : { ignoreAfter: rule.ignoreAfter }),
  };
}

function toChanges(set: NonNullable<RuleKeys["set"]>): ItemChanges {
  const { destination, queue, headers, delay, retries } = set;
  return {
    ...(destination === undefined
      ? {}
      : { destination: typeof destination === "string" ? destination : toRewrite(destination) }),
    ...(queue === undefined ? {} : { queue }),
    ...(headers === undefined ? {} : { headers }),
    ...(delay === undefined
      ? {}
      : {
          delay:
            typeof delay === "number" ? { kind: "fixed", ms: delay } : { kind: "spread", ms: delay.spread },
        }),
    ...(retries === undefined ? {} : { retries }),
  };
}

function toRewrite(parts: {
  readonly scheme?: "http" | "https" | undefined;
  readonly host?: string | undefined;
  readonly path?: string | undefined;
}): Exclude<ItemChanges["destination"], string | undefined> {
  const { scheme, host, path } = parts;
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(host === undefined ? {} : { host }),
    ...(path === undefined ? {} : { path }),
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
