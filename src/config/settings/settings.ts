import type { RedisTarget } from "../../job/contracts/redis-target.ts";
import type { RedisFiles } from "./redis-files.ts";
import {
  settingNames,
  settingRows,
  type SettingName,
  type SettingRow,
  type SettingValues,
} from "./settings-table.ts";

type SectionName = SettingName extends `${infer Section}.${string}` ? Section : never;

type KeyIn<Section extends SectionName, Name extends SettingName> = Name extends `${Section}.${infer Key}`
  ? (typeof settingRows)[Name] extends { readonly unit: "ms" }
    ? `${Key}Ms`
    : Key
  : never;

type Sections = {
  readonly [Section in SectionName]: {
    readonly [Name in SettingName as KeyIn<Section, Name>]: SettingValues[Name];
  };
};

/** Frozen in depth. `service.listTimeout` of the table is `service.listTimeoutMs` here. */
export interface Settings extends Sections {
  /** `isGiven`: somebody has set one of them, perhaps to its default. */
  readonly redis: Sections["redis"] & { readonly target: RedisTarget; readonly isGiven: boolean };
}

export function toSettings(values: SettingValues, files: RedisFiles, isRedisGiven: boolean): Settings {
  const sections = nest(
    settingNames.map((name) => [name, values[name]]),
    toKey,
  );
  Object.assign(sections["redis"] ?? {}, { target: toRedisSettings(values, files), isGiven: isRedisGiven });
  return freezeInDepth(sections) as unknown as Settings;
}

export function valueOf(settings: Settings, name: SettingName): unknown {
  const [section, key] = split(name);
  return (settings[section] as Readonly<Record<string, unknown>>)[toKey(name, key)];
}

export function nest<Value>(
  values: Iterable<readonly [SettingName, Value]>,
  toKeyOf: (name: SettingName, key: string) => string = (_, key) => key,
): Record<string, Record<string, Value>> {
  const nested: Record<string, Record<string, Value>> = {};
  for (const [name, value] of values) {
    const [section, key] = split(name);
    (nested[section] ??= {})[toKeyOf(name, key)] = value;
  }
  return nested;
}

function split(name: SettingName): readonly [SectionName, string] {
  const [section, key] = name.split(".");
  return [section as SectionName, key ?? ""];
}

function toKey(name: SettingName, key: string): string {
  const { unit }: SettingRow = settingRows[name];
  return unit === undefined ? key : `${key}Ms`;
}

function toRedisSettings(values: SettingValues, { ca, cert, key }: RedisFiles): RedisTarget {
  const nodes = values["redis.sentinels"];
  const name = values["redis.sentinelName"];
  const user = values["redis.sentinelUser"];
  const password = values["redis.sentinelPassword"];
  return {
    url: values["redis.url"],
    ca,
    cert,
    key,
    sentinel: nodes.length === 0 || name === undefined ? undefined : { nodes, name, user, password },
    cluster: values["redis.cluster"] ? values["redis.clusterNodes"] : undefined,
  };
}

function freezeInDepth<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freezeInDepth(inner);
  return Object.freeze(value);
}
