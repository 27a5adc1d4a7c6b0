import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Problem } from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { redisUrl, secretText, type ParseSetting } from "./setting-values.ts";
import type { SettingName, SettingValues } from "./table.ts";

export interface RedisFiles {
  readonly url?: string;
  readonly sentinelPassword?: string;
  /** PEM, as the two below. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

type FileSetting = Extract<
  SettingName,
  "redis.urlFile" | "redis.sentinelPasswordFile" | "redis.caFile" | "redis.certFile" | "redis.keyFile"
>;
type FileProblem = Pick<Problem, "expected" | "message"> & { readonly name: SettingName };

const maxSecretBytes = 8_192;
/** A system's whole list of authorities has about 250 KB. */
const maxCaBytes = 1_048_576;
/** A certificate with its whole chain; each has one to three. */
const maxCertificateBytes = 65_536;

const certificates: ParseSetting<string> = (value) =>
  typeof value === "string" && value.includes("-----BEGIN CERTIFICATE-----")
    ? { ok: true, value }
    : { ok: false, expected: "a certificate" };

/** Its own first, then those that signed it. */
const ownCertificate: ParseSetting<string> = (value) =>
  typeof value === "string" && doesNotThrow(() => new X509Certificate(value))
    ? { ok: true, value }
    : { ok: false, expected: "a certificate" };

const privateKey: ParseSetting<string> = (value) =>
  typeof value === "string" && doesNotThrow(() => createPrivateKey(value))
    ? { ok: true, value }
    : { ok: false, expected: "a private key" };

function belongTogether(cert: string, key: string): boolean {
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
}

/** What the library says of a file may quote it. */
function doesNotThrow(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

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
    name: FileSetting,
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
  const cert = read("redis.certFile", null, ownCertificate, "a certificate as PEM", maxCertificateBytes);
  const key = read(
    "redis.keyFile",
    null,
    privateKey,
    "a private key as PEM, without a passphrase",
    maxSecretBytes,
  );
  if (cert !== undefined && key !== undefined && !belongTogether(cert, key)) {
    report("redis.keyFile", "the private key of the certificate in redis.certFile", ", got another one");
  }
  return {
    contents: {
      ...(url === undefined ? {} : { url }),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
    problems,
  };
}
