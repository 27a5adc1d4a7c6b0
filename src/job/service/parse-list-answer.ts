/**
 * V8 maps memory for each text of more than 128 KiB, which takes half as long as to parse it. So the answer
 * to a list is parsed in parts that are cut off between two records, and the records are joined:
 *
 *     {"messages":[{…},{…}           ,           {…},{…}           ,           {…}],"cursor":"…"}
 *     {"messages":[{…},{…},end]}     {"messages":[{…},{…},end]}   {"messages":[{…}],"cursor":"…"}
 *
 * If a cut is elsewhere, the whole is parsed. In a text or inside a record, the part before it is no JSON. In
 * another list, its end is not the last of the messages: no answer has this text, which no two processes share.
 */
import { randomUUID } from "node:crypto";
import { isObject } from "../message/json-value.ts";
import { parseJsonBody } from "./http-answer.ts";

/** With two bytes for each character, as V8 keeps some texts, a little below 128 KiB. */
const partBytes = 60_000;
const betweenRecords = '},{"';
const end = randomUUID();

/** As `parseJsonBody`. If the answer has several lists of messages, it may join them. */
export function parseListAnswer(bytes: Uint8Array): unknown {
  const isLarge = bytes.byteLength > partBytes;
  const joined = isLarge
    ? parseInParts(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    : undefined;
  return joined ?? parseJsonBody(bytes);
}

/** Undefined if a cut is elsewhere. */
function parseInParts(bytes: Buffer): object | undefined {
  let answer: { readonly messages: readonly unknown[] } = { messages: [] };
  for (let from = 0, to: number; from < bytes.length; from = to + 1) {
    to = endOfPart(bytes, from);
    const isLast = to === bytes.length;
    const part = parseJsonBody(
      bytes.subarray(from, to),
      from === 0 ? "" : '{"messages":[',
      isLast ? "" : `,"${end}"]}`,
    );
    if (!isObject(part) || !Array.isArray(part["messages"])) return undefined;
    const records: unknown[] = part["messages"];
    if (!isLast && records.pop() !== end) return undefined;
    answer = { ...answer, ...part, messages: [...answer.messages, ...records] };
  }
  return answer;
}

/** Where the comma is behind its last record, or the end. */
function endOfPart(bytes: Buffer, from: number): number {
  const most = from + partBytes;
  if (most >= bytes.length) return bytes.length;
  const near = bytes.lastIndexOf(betweenRecords, most);
  const found = near > from ? near : bytes.indexOf(betweenRecords, most);
  return found === -1 ? bytes.length : found + 1;
}
