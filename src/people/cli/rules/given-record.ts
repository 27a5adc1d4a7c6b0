import { isObject, parseJson } from "../../../job/message/json-value.ts";
import type { RawRecord } from "../../../job/message/dead-letter.ts";
import { isRedriverError, RedriverError } from "../../../job/contracts/errors.ts";
import { readNamedFile } from "../input/named-file.ts";

interface GivenRecord {
  readonly raw: RawRecord;
  readonly drain: string | null;
}

/** A record is at most some megabytes: its body, and a response. */
const maxBytes = 67_108_864;

/**
 * One record from JSON text of a file or stdin: as the service lists it, as the only one of a listing
 * (`{ "messages": [ … ] }` or a list), or in an entry of the archive or of a plan (`{ "record": { … } }`).
 * Throws `command-misused` for anything else.
 */
export async function readGivenRecord(from: string): Promise<GivenRecord> {
  const text = await readText(from);
  const value = parseJson(text);
  if (value !== undefined) return toGiven(value);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isMany = lines.length > 1 && lines.every((line) => parseJson(line) !== undefined);
  throw misused(isMany ? `${lines.length} lines of JSON` : "text that is no JSON");
}

async function readText(from: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of readNamedFile(from)) {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        throw new RedriverError("command-misused", `${from} is larger than ${maxBytes} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    if (isRedriverError(cause)) throw cause;
    const expected = "a dlqId (<milliseconds>-<sequence>), a file that can be read, or -";
    const got = JSON.stringify(from);
    throw new RedriverError("command-misused", `expected ${expected}; got ${got}`, { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
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
