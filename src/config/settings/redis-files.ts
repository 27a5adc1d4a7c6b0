import { createPrivateKey, X509Certificate } from "node:crypto";
import * as z from "zod";
import { misfit, type Problem } from "../problem.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { findCopyingMistake } from "./secret-mistakes.ts";
import { redisUrl, secretText } from "./value-schemas.ts";
import { settingRows, type SettingName, type SettingRow, type SettingValues } from "./settings-table.ts";

export type RedisFiles = { readonly [Name in keyof typeof files]?: string };

type FileProblem = Pick<Problem, "message"> & { readonly name: SettingName };

const maxSecretBytes = 8_192;

const files = {
  url: {
    name: "redis.urlFile",
    holds: "an address such as redis://user:password@host:6379",
    schema: redisUrl,
    maxBytes: maxSecretBytes,
  },
  sentinelPassword: {
    name: "redis.sentinelPasswordFile",
    holds: "the password",
    schema: secretText,
    maxBytes: maxSecretBytes,
  },
  ca: {
    name: "redis.caFile",
    holds: "certificates as PEM",
    schema: pem((text) => text.includes("-----BEGIN CERTIFICATE-----")),
    // A system's whole list of authorities has about 250 KB.
    maxBytes: 1_048_576,
  },
  // Its own certificate first, then those that signed it, one to three.
  cert: {
    name: "redis.certFile",
    holds: "a certificate as PEM",
    schema: pem((text) => new X509Certificate(text)),
    maxBytes: 65_536,
  },
  key: {
    name: "redis.keyFile",
    holds: "a private key as PEM, without a passphrase",
    schema: pem(createPrivateKey),
    maxBytes: maxSecretBytes,
  },
} as const;

/** The message of the library may quote the file, so only its success counts. */
function pem(read: (text: string) => unknown) {
  return z.string().refine((text) => {
    try {
      return read(text) !== false;
    } catch {
      return false;
    }
  });
}

function gotOf(text: string): string {
  const mistake = findCopyingMistake(text);
  return mistake === null ? "" : `, got ${mistake}`;
}

export function readRedisFiles(
  values: Partial<SettingValues>,
  isGiven: (name: SettingName) => boolean,
): { readonly contents: RedisFiles; readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const contents: { -readonly [Part in keyof RedisFiles]: string } = {};
  const refuse = (name: SettingName, expected: string, got: string): void => {
    problems.push({ name, message: misfit(expected, undefined, got) });
  };
  for (const [part, { name, holds, schema, maxBytes }] of Object.entries(files)) {
    const path = values[name];
    if (path === undefined) continue;
    const { fileOf }: SettingRow = settingRows[name];
    if (fileOf !== undefined && isGiven(fileOf)) {
      refuse(name, `either ${fileOf} or ${name}`, ", got both");
      continue;
    }
    const file = readTextFile(path, maxBytes);
    const read = file.ok ? schema.safeParse(file.text.trim()) : null;
    if (read?.success === true) contents[part as keyof RedisFiles] = read.data;
    else refuse(name, `a readable file that holds ${holds}`, file.ok ? gotOf(file.text) : `: ${file.why}`);
  }
  const { cert, key } = contents;
  if (cert !== undefined && key !== undefined) {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      refuse("redis.keyFile", "the private key of the certificate in redis.certFile", ", got another one");
    }
  }
  return { contents, problems };
}
