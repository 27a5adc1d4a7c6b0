import convict from "convict";
import { misfit, shownValue, unknownName, type Problem } from "../problem.ts";
import { findConflicts } from "./conflicts.ts";
import {
  readEnvironment,
  readFallbacks,
  type Environment,
  type GivenSetting,
  type SettingLayer,
  type SettingsFound,
} from "./environment.ts";
import { readRedisFiles } from "./redis-files.ts";
import { readSettingsFile } from "./settings-file.ts";
import { nest, toSettings, type Settings } from "./settings.ts";
import {
  settingNames,
  settingRows,
  toEnvName,
  type SettingName,
  type SettingRow,
  type SettingValues,
} from "./settings-table.ts";

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
 * Loads the settings: default, then the names that people have already, then file, environment and flags. Reports all
 * problems at once. The result is a frozen plain object: convict's `set` reaches prototypes through its keys
 * (CVE-2026-106550), so nothing of convict is handed on. convict merges and has the defaults, but does not validate:
 * its formats take "0x50" for a port and "yes" for a boolean, and its messages repeat the value.
 */
export function loadSettings(input: SettingsInput): SettingsOutcome {
  const file = readSettingsFile(input.file);
  const environment = readEnvironment(input.env);
  const flags = readFlags(input.flags);
  const problems = [...file.problems, ...environment.problems, ...flags.problems];

  const asked = [file.values, environment.values, flags.values];
  const isGiven = (name: SettingName): boolean => asked.some((layer) => layer.has(name));
  // A token file that was given outranks QSTASH_TOKEN, which nobody gave to redriver.
  const fallbacks = [...readFallbacks(input.env)].filter(
    ([name]) => name !== "service.token" || !isGiven("service.tokenFile"),
  );
  const layers: readonly SettingLayer[] = [new Map(fallbacks), ...asked];
  const originOf = (name: SettingName): GivenSetting["origin"] =>
    layers.findLast((layer) => layer.has(name))?.get(name)?.origin ?? {
      setting: `${name} (${toEnvName(name)})`,
    };

  const config = convict(toConvictSchema(), { env: {}, args: [] });
  for (const layer of layers) config.load(nest([...layer].map(([name, { value }]) => [name, value])));
  const parsed: { -readonly [Name in SettingName]?: unknown } = {};
  for (const name of settingNames) {
    const row: SettingRow = settingRows[name];
    const value: unknown = config.get(name);
    const result = row.schema.safeParse(value);
    if (result.success) parsed[name] = result.data;
    else {
      // An address may carry a password, also if it is not one that fits.
      const isSecret = row.secret || name.endsWith(".url");
      problems.push({
        ...originOf(name),
        message: misfit(result.error.issues[0]?.message ?? "", isSecret ? undefined : shownValue(value)),
      });
    }
  }
  const { contents, problems: unread } = readRedisFiles(parsed as Partial<SettingValues>, isGiven);
  if (contents.url !== undefined) parsed["redis.url"] = contents.url;
  if (contents.sentinelPassword !== undefined) parsed["redis.sentinelPassword"] = contents.sentinelPassword;
  for (const { name, ...problem } of [...unread, ...findConflicts(parsed as Partial<SettingValues>)])
    problems.push({ ...originOf(name), ...problem });
  return problems.length > 0
    ? { ok: false, problems }
    : {
        ok: true,
        settings: toSettings(
          parsed as SettingValues,
          contents,
          settingNames.some((name) => name.startsWith("redis.") && isGiven(name)),
        ),
      };
}

function readFlags(flags: SettingsInput["flags"]): SettingsFound {
  const values = new Map<SettingName, GivenSetting>();
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const name = settingNames.find((known) => known === key);
    if (name !== undefined) values.set(name, { value, origin: { setting: `${name} (flag)` } });
    else {
      const message = unknownName("setting", key, settingNames, "the name of a setting");
      problems.push({ setting: "flags", message });
    }
  }
  return { values, problems };
}

function toConvictSchema(): convict.Schema<Record<string, unknown>> {
  return nest(
    settingNames.map((name) => {
      const { default: fallback, doc } = settingRows[name];
      return [name, { default: fallback, doc, format: "*", nullable: true }];
    }),
  );
}
