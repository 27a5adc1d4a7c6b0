import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../../emulator/index.ts";
import { deadlineMs, expectSane, watchProcess } from "../../../../test/support/fuzzing.ts";
import { sendRaw, type RawEnd } from "../../../../test/support/raw-http.ts";

/** What a bulk delete must not take for "any", beside the rows of the conformance suite (test/contract/job/service). */
const letters = ["label-1", "%00", "undefined"].map((label, index) => ({
  dlqId: `${1_760_000_000_000 + index}-0`,
  url: "http://127.0.0.1/",
  responseStatus: 500,
  label,
  labels: [label, ""],
}));

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.close());
watchProcess();
beforeEach(async () => {
  await emulator.reset();
  emulator.dlq.seed(letters);
});

async function send(
  method: string,
  target: string,
  options: { token?: string; body?: string } = {},
): Promise<RawEnd> {
  const { token = `Bearer ${emulator.token}`, body = "" } = options;
  const headers: [string, string][] = [
    ["Authorization", token],
    ["X-HTTP-Method-Override", "DELETE"],
  ];
  return sendRaw(emulator.url, { method, target, headers, body: Buffer.from(body) }, deadlineMs);
}

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
  expectSane(await send("DELETE", `/v2/dlq?${query}`));
  expect(emulator.dlq.size).toBe(letters.length);
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
  const answer = await send(method, target);
  expectSane(answer);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(emulator.dlq.size).toBe(letters.length);
});

const [first, second] = letters.map(({ dlqId }) => dlqId);

test.each<[unknown, left: number]>([
  [{ dlqIds: [first, second, "0-0"] }, 1],
  [{ dlqIds: `${first},${second}` }, 3],
  [{ dlqids: [first] }, 3],
  [{ dlqIds: [first, ""] }, 3],
  [{ dlqIds: [[first]] }, 3],
  [{ dlqIds: [first, null] }, 3],
  [[first], 3],
  [{ label: "label-1" }, 3],
  [`{"dlqIds":["0-0"],"dlqIds":["${first}"]}`, 3],
  ["no JSON", 3],
])("a body of ids deletes those, and one of any other form nothing: %j", async (body, left) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { status } = await send("DELETE", "/v2/dlq", { body: text });
  expect({ status, left: emulator.dlq.size }).toEqual({ status: left < 3 ? 200 : 400, left });
});

test.each(["", "bearer", "Bearer", "Bearer  ", "Bearer null", "Bearer undefined", "Basic Og=="])(
  "the token %j deletes nothing",
  async (token) => {
    const { status } = await send("DELETE", "/v2/dlq", { token });
    expect({ status, left: emulator.dlq.size }).toEqual({ status: 401, left: letters.length });
  },
);
