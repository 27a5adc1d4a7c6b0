import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../../emulator/index.ts";
import { askedToDelete, wrongWith, type KnownLetter } from "../../../../test/support/asked-to-delete.ts";
import {
  anyText,
  deadlineMs,
  expectSane,
  fuzz,
  headerValue,
  oddBody,
  oddText,
  watchProcess,
} from "../../../../test/support/fuzzing.ts";
import { sendRaw, type RawEnd } from "../../../../test/support/raw-http.ts";

/** Whatever a bulk delete is asked with, what disappears is what section 4.3 says was asked for. */
const startOfTime = 1_760_000_000_000;

const letter = (index: number, more: Partial<KnownLetter> = {}): KnownLetter => ({
  dlqId: `${startOfTime + index * 10}-${index % 3}`,
  messageId: `msg_${index}`,
  url: `http://127.0.0.1/${index % 4}`,
  callerIP: index % 2 === 0 ? "192.0.2.1" : "2001:db8::1",
  responseStatus: [500, 503, 404, 0][index % 4]!,
  labels: index % 3 === 0 ? [] : [`label-${index % 3}`, `own-${index}`],
  ...more,
});

const letters: readonly KnownLetter[] = [
  letter(0),
  letter(1, { queueName: "orders" }),
  letter(2, { queueName: "__proto__" }),
  letter(3, { topicName: "fan,out" }),
  letter(4, { topicName: "group", scheduleId: "scd_1" }),
  letter(5, { flowControlKey: "key", labels: ["label-1", "ü ö", "%00"] }),
  letter(6, { flowControlKey: "constructor", url: "http://127.0.0.1/a,b?c=d&e=f" }),
  letter(7, { url: "http://127.0.0.1/a", scheduleId: "scd_2", queueName: "orders" }),
  letter(8, { labels: ["undefined", "null", "0"] }),
  letter(9, { labels: ["label-1"], queueName: "toString" }),
];

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.close());
watchProcess();

async function refill(): Promise<void> {
  await emulator.reset();
  emulator.dlq.seed(letters.map((one) => ({ ...one, label: one.labels[0] })));
}

const remaining = (): string[] =>
  letters.map(({ dlqId }) => dlqId).filter((id) => emulator.dlq.find(id) !== undefined);

const authorization = (): [string, string] => ["Authorization", `Bearer ${emulator.token}`];

/** The cursor of a page of three. */
let cursor: string;
beforeAll(async () => {
  await refill();
  const headers = [authorization()];
  const page = await sendRaw(emulator.url, { method: "GET", target: "/v2/dlq?count=3", headers }, deadlineMs);
  cursor = (expectSane(page) as { cursor: string }).cursor;
});

async function deleteBy(query: string, body = ""): Promise<RawEnd> {
  const target = query === "" ? "/v2/dlq" : `/v2/dlq?${query}`;
  const headers = [authorization()];
  return await sendRaw(
    emulator.url,
    { method: "DELETE", target, headers, body: Buffer.from(body) },
    deadlineMs,
  );
}

/** Records that are not there any more. */
function gone(): string[] {
  const left = new Set(remaining());
  return letters.map(({ dlqId }) => dlqId).filter((id) => !left.has(id));
}

const valuesOf: Readonly<Record<string, readonly string[]>> = {
  // Stands for one that a listing gave.
  cursor: ["CURSOR", "CURSOR", "CURSORx", `${startOfTime + 30}-0`, "0", ""],
  messageId: letters.map(({ messageId }) => messageId),
  url: letters.map(({ url }) => url),
  topicName: ["fan", "out", "fan,out", "group", "undefined"],
  scheduleId: ["scd_1", "scd_2", "scd_3", "undefined"],
  queueName: ["orders", "__proto__", "toString", "undefined"],
  fromDate: [-1, 0, 30, 35, 90, 91].map((offset) => String(startOfTime + offset)),
  toDate: [-1, 0, 30, 35, 90, 91].map((offset) => String(startOfTime + offset)),
  responseStatus: ["500", "503", "404", "0", "-0", "200"],
  callerIp: ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"],
  label: ["label-1", "label-2", "own-1", "ü ö", "%00", "undefined", "null", "0", "label"],
  count: ["1", "2", "5", "100", "0", "-1", "101", "1e1", " 3"],
  dlqIds: [...letters.map(({ dlqId }) => dlqId), `${startOfTime}`, "0-0"],
  flowControlKey: ["key", "constructor", "undefined"],
};
const names = Object.keys(valuesOf);

const encoded: fc.Arbitrary<(text: string) => string> = fc.constantFrom(
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(text).replaceAll("%20", "+").replaceAll("%2C", ","),
  (text) => Buffer.from(text).reduce((all, byte) => `${all}%${byte.toString(16).padStart(2, "0")}`, ""),
);

const noIds: string[] = [];

/** Lone surrogates cannot be encoded. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const fitting = fc.constantFrom(...names).chain((name) =>
  fc.tuple(
    fc.constant(name),
    encoded,
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...valuesOf[name]!) },
      {
        weight: 2,
        arbitrary: fc
          .array(fc.constantFrom(...valuesOf[name]!), { maxLength: 4 })
          .map((all) => all.join(",")),
      },
      { weight: 1, arbitrary: fc.constantFrom("", ",", ",,", " ", ", ,", "\0", "*", "%", "null") },
      { weight: 1, arbitrary: fc.oneof(anyText(), fc.maxSafeInteger().map(String)) },
    ),
  ),
);
const fittingPair = fitting.map(([name, encode, value]) => `${name}=${encode(wellFormed(value))}`);
const oddPair = fc.oneof(
  oddText,
  fc
    .tuple(fc.constantFrom(...names, "DLQIDS", "dlqIds[]", "dlqId", "__proto__", "order"), oddText)
    .map((p) => p.join("=")),
  fc.tuple(oddText, fc.constantFrom(...names)).map((pair) => pair.join("=")),
);
const queries = fc.oneof(
  { weight: 6, arbitrary: fc.array(fittingPair, { maxLength: 4 }) },
  { weight: 2, arbitrary: fc.array(fc.oneof(fittingPair, oddPair), { maxLength: 5 }) },
  { weight: 1, arbitrary: fittingPair.map((pair) => Array<string>(60).fill(pair)) },
);

describe("whatever a bulk delete is asked with", () => {
  test("what disappears is what was asked for, and a refused call deletes nothing", async () => {
    await fuzz(queries, 5_000, async (pairs) => {
      await refill();
      const query = pairs.join("&").replace("CURSOR", cursor);
      const answer = await deleteBy(query);
      const { deleted = 0 } = expectSane(answer) as { deleted?: number };
      expect(wrongWith(askedToDelete(query, letters), answer.status, gone())).toBeUndefined();
      expect(deleted).toBe(gone().length);
      expect(emulator.dlq.size).toBe(remaining().length);
    });
  });

  test.each([
    ["a blank is a value that no record has", "label=%20"],
    ["blanks in a list are values that no record has", "label=+,+"],
    ["a comma alone is no empty value", "label=,"],
    ["commas alone are no empty ids", "dlqIds=,,"],
    ["an escaped comma alone is no empty id", "dlqIds=%2C"],
    ["commas are no status", "responseStatus=,"],
    ["a tab is a value that no record has", "queueName=%09"],
    ["a blank id is an id that no record has", "dlqIds=%20"],
    ["NUL is a value that no record has", "label=%00"],
    ["a name in another case is another name", "dlqids=1-0"],
    ["a count of nothing", "count=0"],
    ["a negative count", "count=-1"],
    ["an escape that is not UTF-8", "label=%FF"],
  ])("%s: nothing disappears", async (_, query) => {
    await refill();
    expectSane(await deleteBy(query));
    expect(remaining()).toHaveLength(letters.length);
  });

  test("a body of ids deletes those, and a body of any other form nothing", async () => {
    const id = fc.oneof(fc.constantFrom(...valuesOf["dlqIds"]!), fc.string({ minLength: 1 }));
    const ids = fc.array(id, { minLength: 1, maxLength: 6 });
    const bodies = fc.oneof(
      ids.map((dlqIds) => ({ dlqIds, body: JSON.stringify({ dlqIds }) })),
      fc
        .oneof(
          ids.map((all) => ({ dlqIds: all.join(",") })),
          ids.map((all) => ({ dlqids: all })),
          ids.map((all) => ({ dlqIds: [...all, ""] })),
          ids.map((all) => ({ dlqIds: [all] })),
          ids.map((all) => ({ dlqIds: [...all, null] })),
          ids,
          fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
        )
        .map((value) => ({ dlqIds: noIds, body: JSON.stringify(value) })),
      oddBody
        .filter((body) => body.length > 0)
        .map((body) => ({ dlqIds: noIds, body: body.toString("latin1") })),
    );
    await fuzz(bodies, 1_500, async ({ dlqIds, body }) => {
      await refill();
      const answer = await deleteBy("", body);
      expectSane(answer);
      const named = letters.map((one) => one.dlqId).filter((one) => dlqIds.includes(one));
      expect(gone()).toEqual(named);
      expect(answer.status).toBe(dlqIds.length > 0 ? 200 : 400);
    });
  });

  test.each([
    ["DELETE", "/v2/dlq/"],
    ["DELETE", "/v2/dlq//"],
    ["DELETE", "//v2/dlq"],
    ["DELETE", "/v2/dlq/%20"],
    ["DELETE", "/v2/dlq/?dlqIds="],
    ["DELETE", "/v2/dlq/.."],
    ["DELETE", "/v2/dlq/x/../"],
    ["DELETE", "/V2/DLQ"],
    ["DELETE", "/v2/dlq%2F"],
    ["POST", "/v2/dlq"],
    ["PUT", "/v2/dlq"],
    ["POST", "/v2/dlq/retry/"],
    ["GET", "/v2/dlq?_method=DELETE"],
  ])("%s %s is no bulk operation: nothing disappears", async (method, target) => {
    await refill();
    const headers: [string, string][] = [authorization(), ["X-HTTP-Method-Override", "DELETE"]];
    const answer = await sendRaw(emulator.url, { method, target, headers }, deadlineMs);
    expectSane(answer);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(remaining()).toHaveLength(letters.length);
  });

  test("a request without the token deletes nothing, whatever its headers say", async () => {
    await refill();
    const authorizations = fc.oneof(
      headerValue,
      headerValue.map((value) => `Bearer ${value}`),
      fc.constantFrom("bearer", "Bearer", "Bearer  ", "Bearer null", "Bearer undefined", "Basic Og=="),
    );
    const headers = fc.tuple(authorizations, fc.array(headerValue));
    await fuzz(headers, 500, async ([value, odd]) => {
      const answer = await sendRaw(
        emulator.url,
        {
          method: "DELETE",
          target: "/v2/dlq",
          headers: [["Authorization", value], ...odd.map((one): [string, string] => ["X-Odd", one])],
        },
        deadlineMs,
      );
      expectSane(answer);
      expect(answer.status).toBe(401);
      expect(emulator.dlq.size).toBe(letters.length);
    });
  });
});

describe("whatever a listing is asked with", () => {
  test("it shows what a delete with the same parameters asks for, and changes nothing", async () => {
    await refill();
    await fuzz(queries, 2_000, async (pairs) => {
      const query = pairs.join("&").replace("CURSOR", cursor);
      const target = query === "" ? "/v2/dlq" : `/v2/dlq?${query}`;
      const answer = await sendRaw(
        emulator.url,
        { method: "GET", target, headers: [authorization()] },
        deadlineMs,
      );
      const { messages = [] } = expectSane(answer) as { messages?: { dlqId: string }[] };
      const shown = messages.map(({ dlqId }) => dlqId);
      expect(wrongWith(askedToDelete(query, letters), answer.status, shown)).toBeUndefined();
      expect(emulator.dlq.size).toBe(letters.length);
    });
  });
});
