import type * as z from "zod";
import type { SecretRef, SourceConfig } from "../job/contracts/drains-document.ts";
import { misfit, type Problem } from "./problem.ts";
import type { Environment } from "./settings/environment.ts";
import type { Settings } from "./settings/settings.ts";
import { secretAlone, signingKey } from "./settings/value-schemas.ts";
import { readTextFile } from "./text/read-text-file.ts";

export type SecretReading =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly problem: Problem };

export type ReadSecret = (ref: SecretRef) => SecretReading;

const maxSecretBytes = 8_192;

export function readSecret(
  ref: SecretRef,
  from: { readonly env: Environment; readonly settings: Settings },
): SecretReading {
  switch (ref.kind) {
    case "file":
      return readSecretFile(ref.path, `file ${ref.path}`);
    case "env":
      return checkSecret(from.env[ref.name], `environment variable ${ref.name}`);
    case "settings": {
      const { token, tokenFile } = from.settings.service;
      if (tokenFile === undefined) return checkSecret(token, "service.token (REDRIVER_SERVICE_TOKEN)");
      return readSecretFile(tokenFile, `service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE) ${tokenFile}`);
    }
  }
}

export function readLineageKey(
  settings: Settings,
): { readonly ok: true; readonly value: string | undefined } | Extract<SecretReading, { ok: false }> {
  const { key, keyFile } = settings.lineage;
  if (keyFile === undefined) return { ok: true, value: key };
  return readSecretFile(keyFile, `lineage.keyFile (REDRIVER_LINEAGE_KEY_FILE) ${keyFile}`, signingKey);
}

function readSecretFile(
  path: string,
  setting: string,
  schema: z.ZodType<string> = secretAlone,
): SecretReading {
  const file = readTextFile(path, maxSecretBytes);
  if (file.ok) return checkSecret(file.text.replace(/\r?\n$/, ""), setting, schema);
  const expected = "a readable file that holds the secret";
  return { ok: false, problem: { setting, message: misfit(expected, undefined, `: ${file.why}`) } };
}

function checkSecret(
  text: string | undefined,
  setting: string,
  schema: z.ZodType<string> = secretAlone,
): SecretReading {
  const { data, error } = schema.safeParse(text);
  if (data !== undefined) return { ok: true, value: data };
  const expected = text ? (error?.issues[0]?.message ?? "") : "a secret, got nothing";
  return { ok: false, problem: { setting, message: misfit(expected) } };
}

export function toTokenSetting(
  { name, token }: SourceConfig,
  { service }: Pick<Settings, "service">,
): string {
  switch (token.kind) {
    case "file":
      return `sources.${name}.token (file ${token.path})`;
    case "env":
      return `sources.${name}.token (environment variable ${token.name})`;
    case "settings":
      return service.tokenFile === undefined
        ? "service.token (REDRIVER_SERVICE_TOKEN, or QSTASH_TOKEN where that is unset)"
        : `service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE, ${service.tokenFile})`;
  }
}

export function toAddressSetting({ name, url }: SourceConfig): string {
  return url === undefined
    ? "service.url (REDRIVER_SERVICE_URL, or QSTASH_URL where that is unset)"
    : `sources.${name}.url`;
}
