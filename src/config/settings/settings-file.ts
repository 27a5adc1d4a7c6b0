import { stringify } from "yaml";
import { durationText } from "../../job/rules/durations.ts";
import { misfit, toPathText, unknownName, type Problem, type ValuePath } from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/yaml-limits.ts";
import { parseYaml, type YamlTree } from "../text/yaml-tree.ts";
import type { GivenSetting, SettingsFound } from "./environment.ts";
import { nest, valueOf, type Settings } from "./settings.ts";
import { settingNames, settingRows, type SettingName, type SettingRow } from "./settings-table.ts";

/** YAML or JSON, sections of settings: `http: { port: 9466 }`. A setting without a value is unset. */
export function readSettingsFile(file: string | undefined): SettingsFound {
  if (file === undefined) return { values: new Map(), problems: [] };
  const read = readTextFile(file, textLimits.maxBytes);
  if (!read.ok) {
    const expected = "a readable settings file (REDRIVER_CONFIG_FILE, --config)";
    return { values: new Map(), problems: [{ file, message: misfit(expected, undefined, `: ${read.why}`) }] };
  }
  const reading = parseYaml(read.text, file);
  if (!reading.ok) return { values: new Map(), problems: reading.problems };
  const { values, problems } = collectSettings(reading.tree, file);
  return { values, problems: [...reading.problems, ...problems] };
}

const sections = nest(settingNames.map((name) => [name, name]));

function collectSettings(tree: YamlTree, file: string): SettingsFound {
  const values = new Map<SettingName, GivenSetting>();
  const problems: Problem[] = [];
  const report = (path: ValuePath, part: "key" | "value", message: string): void => {
    const subject = toPathText(part === "key" ? path.slice(0, -1) : path);
    problems.push({ file, ...tree.locate(path, part), path: subject, message });
  };
  const members = function* (value: unknown, path: ValuePath, known: readonly string[]) {
    if (value === null) return;
    if (typeof value !== "object" || Array.isArray(value)) {
      // A section that is no mapping may be a secret that slipped a level up.
      const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
      report(path, "value", `expected a mapping, got ${kind}`);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      if (known.includes(key)) yield [key, member as unknown, [...path, key]] as const;
      else report([...path, key], "key", unknownName("setting", key, known));
    }
  };
  for (const [section, content, at] of members(tree.value, [], Object.keys(sections))) {
    const names = sections[section] ?? {};
    if (section === "console" && content === "none") {
      values.set("console.port", {
        value: content,
        origin: { file, ...tree.locate(at, "value"), setting: section },
      });
      continue;
    }
    for (const [key, value, path] of members(content, at, Object.keys(names))) {
      const name = names[key];
      if (name === undefined || value === null) continue;
      if (isPlainValue(value)) {
        values.set(name, { value, origin: { file, ...tree.locate(path, "value"), setting: name } });
      } else report(path, "value", "expected a single value, got a mapping");
    }
  }
  return { values, problems };
}

function isPlainValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((member) => typeof member !== "object");
  return value === null || typeof value !== "object";
}

export function showEffectiveSettings(settings: Settings): string {
  return stringify(toEffectiveSettings(settings));
}

/** Secrets are "[set]" or "[unset]", which no settings file may have. */
export function toEffectiveSettings(settings: Settings): object {
  const shown = settingNames.filter((name) => (settingRows[name] as SettingRow).fileOf === undefined);
  return nest(shown.map((name) => [name, toShown(name, valueOf(settings, name))]));
}

function toShown(name: SettingName, value: unknown): unknown {
  const { secret, unit }: SettingRow = settingRows[name];
  if (name === "redis.url") return withoutPassword(String(value));
  if (secret && Array.isArray(value)) return value.map(() => "[set]");
  if (secret) return value === undefined ? "[unset]" : "[set]";
  return unit === "ms" ? durationText(Number(value)) : (value ?? null);
}

/** The address with `[set]` in place of user and password, and without its query, which may have a password too. */
function withoutPassword(address: string): string {
  const { protocol, username, password, host, pathname } = new URL(address);
  return `${protocol}//${username === "" && password === "" ? "" : "[set]@"}${host}${pathname}`;
}
