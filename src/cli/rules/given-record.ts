import { isObject } from "../../message/json-value.ts";
import type { RawRecord } from "../../message/dead-letter.ts";
import { RedriverError } from "../../ports/errors.ts";
import { createLineageKeys } from "../../compose/secrets.ts";
import { readLineageKey, readSecret } from "../../config/read-secret.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { SourceConfig } from "../../ports/drains.ts";
import type { Io } from "../io.ts";

export interface GivenRecord {
  readonly raw: RawRecord;
  /** The drain that an entry of the archive names. */
  readonly drain: string | null;
}

/**
 * One record from JSON text: as the service lists it, as the only one of a listing (`{ "messages": [ … ] }` or a list), or in an entry of
 * the archive or of a plan (`{ "record": { … } }`). Throws `command-misused` for anything else.
 */
export function parseRecordText(text: string): GivenRecord {
  return toGiven(parseOneValue(text));
}

function parseOneValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const isMany = lines.length > 1 && lines.every(isJson);
    throw misused(isMany ? `${lines.length} lines of JSON` : "text that is no JSON");
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toGiven(value: unknown): GivenRecord {
  if (Array.isArray(value)) {
    if (value.length !== 1) throw misused(`a list of ${value.length}`);
    return toGiven(value[0]);
  }
  if (!isObject(value)) throw misused("another JSON value");
  if (Array.isArray(value["messages"]) && value["dlqId"] === undefined) return toGiven(value["messages"]);
  const inner = value["record"];
  if (!isObject(inner)) return { raw: value, drain: null };
  return { raw: inner, drain: typeof value["drain"] === "string" ? value["drain"] : null };
}

/** Whether header values were left out when it was written, so that rules cannot see them. */
export function looksMasked(raw: RawRecord): boolean {
  return ["header", "responseHeader"].some((name) => {
    const headers = raw[name];
    return isObject(headers) && Object.values(headers).flat().includes("***");
  });
}

/** Whether a request header of this name is listed, in whatever case. */
export function hasHeader(raw: RawRecord, name: string): boolean {
  const header = raw["header"];
  return isObject(header) && Object.keys(header).some((key) => key.toLowerCase() === name.toLowerCase());
}

function misused(got: string): RedriverError {
  return new RedriverError(
    "command-misused",
    `expected one record as JSON: as listed, or one line of \`redriver archive show --show-content\`; got ${got}`,
  );
}

export interface LineageKeys {
  readonly keys: readonly [string, ...string[]];
  /** False if neither a token nor a key can be read: a forged header could then not be recognised. */
  readonly known: boolean;
}

/** The key if there is none. Nothing that is signed with it leaves the process. */
const noKey = "no key";

/** The keys of a source's lineage headers, as far as this machine has its token or the key. */
export function readLineageKeys(source: SourceConfig, settings: Settings, io: Io): LineageKeys {
  const fixed = readLineageKey(settings);
  if (!fixed.ok) return { keys: [noKey], known: false };
  const { value: key } = fixed;
  const token =
    key === undefined
      ? readSecret(source.token, { env: io.env, settings })
      : { ok: true as const, value: key };
  if (!token.ok) return { keys: [noKey], known: false };
  const { oldKeys } = settings.lineage;
  return {
    keys: createLineageKeys({ value: () => token.value }, { key, oldKeys }, source.id)(),
    known: true,
  };
}
