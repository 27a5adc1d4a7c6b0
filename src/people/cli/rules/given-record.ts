import { isUtf8 } from "node:buffer";
import { noUtf8 } from "../../../config/text/read-text-file.ts";
import { isObject, parseJson } from "../../../job/message/json-value.ts";
import type { RawRecord } from "../../../job/message/dead-letter.ts";
import { isRedriverError, misused } from "../../../job/contracts/errors.ts";
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
  const bytes = await readBytes(from);
  const given = isUtf8(bytes) ? toGiven(bytes.toString("utf8")) : `bytes that are ${noUtf8(bytes)}`;
  if (typeof given !== "string") return given;
  throw misused(
    `${from === "-" ? "stdin" : from}: expected one record as JSON: as listed, or one line of \`redriver archive show --show-content\`; got ${given}`,
  );
}

async function readBytes(from: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of readNamedFile(from)) {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        throw misused(`${from} is larger than ${maxBytes} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    if (isRedriverError(cause)) throw cause;
    const expected = "a dlqId (<milliseconds>-<sequence>), a file that can be read, or -";
    const got = JSON.stringify(from);
    throw misused(`expected ${expected}; got ${got}`, { cause });
  }
  return Buffer.concat(chunks);
}

/** A text: what it is instead. */
function toGiven(text: string): GivenRecord | string {
  const value = parseJson(text);
  if (value === undefined) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const isMany = lines.length > 1 && lines.every((line) => parseJson(line) !== undefined);
    return isMany ? `${lines.length} lines of JSON` : `text that is no JSON${whereNoJson(text)}`;
  }
  const isListing = isObject(value) && value["dlqId"] === undefined && Array.isArray(value["messages"]);
  const listed: unknown = isListing ? value["messages"] : value;
  if (Array.isArray(listed) && listed.length !== 1) return `a list of ${listed.length}`;
  const one: unknown = Array.isArray(listed) ? listed[0] : listed;
  if (!isObject(one)) return "another JSON value";
  const { record, dlqId, drain } = one;
  if (!isObject(record)) return { raw: one, drain: null };
  if (dlqId !== undefined && dlqId !== record["dlqId"]) return "an entry with the record of another dlqId";
  return { raw: record, drain: typeof drain === "string" ? drain : null };
}

/** The runtime names a position for most mistakes. Its own words quote the text, which may be a secret. */
function whereNoJson(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const at = message.startsWith("Unexpected end")
      ? text.length
      : Number(/ position (\d+)/.exec(message)?.[1]);
    if (Number.isFinite(at)) return ` (line ${text.slice(0, at).split("\n").length})`;
  }
  return "";
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
