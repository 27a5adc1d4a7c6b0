/**
 * V8 maps memory for each text of more than 128 KiB, which takes half as long as to parse it. So the answer
 * to a list is parsed in parts that are cut off between two records, and the records are joined:
 *
 *     {"messages":[{…},{…}           ,           {…},{…}           ,           {…}],"cursor":"…"}
 *     {"messages":[{…},{…},end]}     {"messages":[{…},{…},end]}   {"messages":[{…}],"cursor":"…"}
 *
 * What stands around a part is written over its neighbours' bytes for as long as it is read, because a text that is
 * put together is copied once more to be parsed.
 *
 * If a cut is elsewhere, the whole is parsed. In a text or inside a record, the part before it is no JSON. In
 * another list, its end is not the last of the messages: no answer has this text, which no two processes share.
 */
import { randomUUID } from "node:crypto";
import { isObject } from "../message/json-value.ts";
import { parseListedJson } from "./http-answer.ts";

/** With two bytes for each character, as V8 keeps some texts, a little below 128 KiB. */
const partBytes = 60_000;
const betweenRecords = '},{"';
const end = randomUUID();
const before = Buffer.from('{"messages":[');
const behind = Buffer.from(`,"${end}"]}`);

/** As `parseListedJson`. If the answer has several lists of messages, it may join them. */
export function parseListAnswer(bytes: Uint8Array): unknown {
  const isLarge = bytes.byteLength > partBytes;
  const joined = isLarge
    ? parseInParts(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    : undefined;
  return joined ?? parseListedJson(bytes);
}

/** Undefined if a cut is elsewhere. */
function parseInParts(bytes: Buffer): object | undefined {
  let answer: object = {};
  const messages: unknown[] = [];
  for (let from = 0, to: number; from < bytes.length; from = to + 1) {
    to = endOfPart(bytes, from);
    const isLast = to === bytes.length;
    const part = parsePart(bytes, from, to);
    if (!isObject(part) || !Array.isArray(part["messages"])) return undefined;
    const records: unknown[] = part["messages"];
    if (!isLast && records.pop() !== end) return undefined;
    for (const record of records) messages.push(record);
    answer = { ...answer, ...part };
  }
  return { ...answer, messages };
}

function parsePart(bytes: Buffer, from: number, to: number): unknown {
  const start = from === 0 ? 0 : from - before.length;
  const stop = to === bytes.length ? to : to + behind.length;
  const neighbours = [
    Buffer.from(bytes.subarray(start, from)),
    Buffer.from(bytes.subarray(to, stop)),
  ] as const;
  if (start < from) bytes.set(before, start);
  if (stop > to) bytes.set(behind, to);
  const part = parseListedJson(bytes.subarray(start, stop));
  bytes.set(neighbours[0], start);
  bytes.set(neighbours[1], to);
  return part;
}

/** Where the comma is behind its last record, or the end. Around a cut there is room for what stands there. */
function endOfPart(bytes: Buffer, from: number): number {
  const most = from + partBytes;
  if (most >= bytes.length) return bytes.length;
  const least = from + before.length;
  const near = bytes.lastIndexOf(betweenRecords, most);
  const found = near > least ? near : bytes.indexOf(betweenRecords, most);
  return found === -1 || found + behind.length >= bytes.length ? bytes.length : found + 1;
}
