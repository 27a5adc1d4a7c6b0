import type { Problem } from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { redisUrl, secretText, type ParseSetting } from "./setting-values.ts";
import type { SettingName, SettingValues } from "./table.ts";

export interface RedisFiles {
  readonly url?: string;
  readonly sentinelPassword?: string;
  /** PEM. */
  readonly ca?: string;
}

type FileProblem = Pick<Problem, "expected" | "message"> & { readonly name: SettingName };

const maxSecretBytes = 8_192;
/** A system's whole list of authorities has about 250 KB. */
const maxCaBytes = 1_048_576;

const certificates: ParseSetting<string> = (value) =>
  typeof value === "string" && value.includes("-----BEGIN CERTIFICATE-----")
    ? { ok: true, value }
    : { ok: false, expected: "a certificate" };

/** Reads the files that Redis settings name. Problems never tell what was found in a file. */
export function readRedisFiles(
  values: Partial<SettingValues>,
  isGiven: (name: SettingName) => boolean,
): { readonly contents: RedisFiles; readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const report = (name: SettingName, expected: string, got: string): undefined => {
    problems.push({ name, expected, message: `expected ${expected}${got}` });
  };
  const read = (
    name: "redis.urlFile" | "redis.sentinelPasswordFile" | "redis.caFile",
    instead: "redis.url" | "redis.sentinelPassword" | null,
    parse: ParseSetting<string>,
    holds: string,
    maxBytes: number,
  ): string | undefined => {
    const path = values[name];
    if (path === undefined) return undefined;
    if (instead !== null && isGiven(instead))
      return report(name, `either ${instead} or ${name}`, ", got both");
    const file = readTextFile(path, maxBytes);
    const expected = `a readable file that holds ${holds}`;
    if (!file.ok) return report(name, expected, `: ${file.why}`);
    const parsed = parse(file.text.trim());
    return parsed.ok ? parsed.value : report(name, expected, "");
  };
  const url = read(
    "redis.urlFile",
    "redis.url",
    redisUrl,
    "an address such as redis://user:password@host:6379",
    maxSecretBytes,
  );
  const sentinelPassword = read(
    "redis.sentinelPasswordFile",
    "redis.sentinelPassword",
    secretText,
    "the password",
    maxSecretBytes,
  );
  const ca = read("redis.caFile", null, certificates, "certificates as PEM", maxCaBytes);
  return {
    contents: {
      ...(url === undefined ? {} : { url }),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      ...(ca === undefined ? {} : { ca }),
    },
    problems,
  };
}
