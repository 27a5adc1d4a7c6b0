import convict from "convict";
import { shownValue, unknownName, type Problem } from "../problem.ts";
import { findConflicts } from "./conflicts.ts";
import { readEnvironment, type Environment } from "./environment.ts";
import { readRedisFiles } from "./redis-files.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";
import type { Settings } from "./settings.ts";
import {
  settingNames,
  settingRows,
  toEnvName,
  type SettingName,
  type SettingRow,
  type SettingValues,
} from "./table.ts";
import { toSettings } from "./to-settings.ts";

export interface SettingsInput {
  /** Path of a YAML or JSON file of settings (REDRIVER_CONFIG_FILE, --config). */
  readonly file?: string | undefined;
  readonly env: Environment;
  /** By setting name, `{ "http.port": "9000" }`; undefined values are flags not given. */
  readonly flags: Readonly<Record<string, unknown>>;
}

export type SettingsOutcome =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Loads the settings: default, then file, then environment, then flags; reports all problems at once. The result is a
 * frozen plain object: convict's `set` reaches prototypes through its keys (CVE-2026-106550), so nothing of convict is
 * handed on. convict's own validation is not used either: its messages repeat the value.
 */
export function loadSettings(input: SettingsInput): SettingsOutcome {
  const file: SettingsFile =
    input.file === undefined ? { values: new Map(), problems: [] } : readSettingsFile(input.file);
  const environment = readEnvironment(input.env);
  const flags = readFlags(input.flags);

  const config = convict(toConvictSchema(), { env: {}, args: [] });
  const fromFile = new Map([...file.values].map(([name, { value }]) => [name, value]));
  const layers = [fromFile, environment.values, flags.values];
  for (const layer of [readFallbacks(input.env, layers), ...layers]) config.load(nest(layer));
  const given = config.getProperties() as Record<string, Record<string, unknown> | undefined>;

  const problems = [...file.problems, ...environment.problems, ...flags.problems];
  const parsed: { -readonly [Name in SettingName]?: unknown } = {};
  const originOf = (name: SettingName): Pick<Problem, "file" | "line" | "column" | "setting"> => {
    if (flags.values.has(name)) return { setting: `${name} (flag)` };
    if (environment.values.has(name)) return { setting: `${name} (${toEnvName(name)})` };
    const place = file.values.get(name);
    if (place !== undefined && input.file !== undefined) {
      return { file: input.file, line: place.line, column: place.column, setting: name };
    }
    const fallback = fallbackEnvNames.get(name);
    return {
      setting: `${name} (${fallback !== undefined && input.env[fallback] ? fallback : toEnvName(name)})`,
    };
  };
  for (const name of settingNames) {
    const row: SettingRow = settingRows[name];
    const [section = "", key = ""] = name.split(".");
    const value = given[section]?.[key];
    const result = row.parse(value);
    if (result.ok) parsed[name] = result.value;
    else problems.push({ ...originOf(name), ...unfit(row, name, value, result.expected) });
  }
  const isGiven = (name: SettingName): boolean => layers.some((layer) => layer.has(name));
  const { contents, problems: unread } = readRedisFiles(parsed as Partial<SettingValues>, isGiven);
  if (contents.url !== undefined) parsed["redis.url"] = contents.url;
  if (contents.sentinelPassword !== undefined) parsed["redis.sentinelPassword"] = contents.sentinelPassword;
  for (const { name, ...problem } of unread) problems.push({ ...originOf(name), ...problem });
  for (const { name, problem } of findConflicts(parsed as Partial<SettingValues>))
    problems.push({ ...originOf(name), ...problem });
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, settings: toSettings(parsed as SettingValues, contents) };
}

function unfit(
  row: SettingRow,
  name: SettingName,
  value: unknown,
  expected: string,
): Omit<Problem, "setting"> {
  // An address may carry a password, also where it is not one that fits.
  if (row.secret || name.endsWith(".url")) return { expected, message: `expected ${expected}` };
  const found = shownValue(value);
  return { expected, found, message: `expected ${expected}, got ${found}` };
}

/** Names that people have in their environment already; read where the setting is not given at all. */
const fallbackEnvNames = new Map<SettingName, string>([
  ["service.url", "QSTASH_URL"],
  ["service.token", "QSTASH_TOKEN"],
]);

/** A token file that was given outranks QSTASH_TOKEN, which nobody gave to redriver. */
function readFallbacks(
  env: Environment,
  layers: readonly ReadonlyMap<SettingName, unknown>[],
): ReadonlyMap<SettingName, unknown> {
  const values = new Map<SettingName, unknown>();
  const hasTokenFile = layers.some((layer) => layer.has("service.tokenFile"));
  for (const [name, envName] of fallbackEnvNames) {
    const value = env[envName];
    if (value && !(name === "service.token" && hasTokenFile)) values.set(name, value);
  }
  return values;
}

function readFlags(flags: SettingsInput["flags"]): {
  values: ReadonlyMap<SettingName, unknown>;
  problems: readonly Problem[];
} {
  const values = new Map<SettingName, unknown>();
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const name = settingNames.find((known) => known === key);
    if (name !== undefined) values.set(name, value);
    else {
      const expected = "the name of a setting";
      problems.push({
        setting: "flags",
        expected,
        message: unknownName("setting", key, settingNames, expected),
      });
    }
  }
  return { values, problems };
}

function toConvictSchema(): convict.Schema<Record<string, unknown>> {
  const entries = settingNames.map((name) => {
    const { default: fallback, doc, secret } = settingRows[name];
    return [
      name,
      { default: fallback, doc, env: toEnvName(name), sensitive: secret, format: "*", nullable: true },
    ] as const;
  });
  return nest(new Map(entries));
}

/** `service.url` → `{ service: { url } }`. The names come from the table, never from outside. */
function nest(values: ReadonlyMap<SettingName, unknown>): Record<string, Record<string, unknown>> {
  const nested: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of values) {
    const [section = "", key = ""] = name.split(".");
    (nested[section] ??= {})[key] = value;
  }
  return nested;
}
