import { stringify } from "yaml";
import { durationText } from "../../job/rules/durations.ts";
import { nest, valueOf, type Settings } from "./settings.ts";
import { settingNames, settingRows, type SettingName, type SettingRow } from "./settings-table.ts";

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
