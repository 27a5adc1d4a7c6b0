import { describe, expect, it } from "vitest";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { parseRecord } from "../../../../src/job/message/parse-record.ts";
import { letterOf, rawRecord } from "../../../support/letters.ts";
import { words } from "../../../support/words.ts";

const problemOf = (raw: unknown): string => {
  const parsed = parseRecord(raw as RawRecord);
  return parsed.kind === "letter" ? "none" : `${parsed.reason}: ${parsed.problem}`;
};

describe("a listed record", () => {
  it("keeps every documented field", () => {
    const fields = {
      topicName: "orders",
      endpointName: "eu",
      method: "PUT",
      maxRetries: 0,
      retryDelayExpression: "1000 * retried",
      notBefore: 5,
      callback: "https://cb.example.com",
      failureCallback: "https://fcb.example.com",
      scheduleId: "scd_1",
      queueName: "q",
      flowControlKey: "k",
      rate: 3,
      period: 60,
      parallelism: 2,
      responseStatus: 503,
      responseBody: "no",
      bodyBase64: "",
    };
    expect(letterOf(fields)).toMatchObject(fields);
    expect(letterOf({ callerIP: "10.0.0.1" }).callerIp).toBe("10.0.0.1");
  });

  it.each([
    ["0", 0],
    ["null", null],
    ["nothing", undefined],
  ])("has no response status when it is listed as %s", (_name, responseStatus) => {
    expect(letterOf({ responseStatus }).responseStatus).toBeUndefined();
  });

  it("takes header values as a string or as an array", () => {
    const header = { "Content-Type": ["text/plain"], "X-A": "one" };
    expect(letterOf({ header }).header).toEqual({ "Content-Type": ["text/plain"], "X-A": ["one"] });
  });

  it("takes all labels, and the one label only where there is no list", () => {
    expect(letterOf({ labels: ["a", "b"], label: "a" }).labels).toEqual(["a", "b"]);
    expect(letterOf({ label: "a" }).labels).toEqual(["a"]);
    expect(letterOf({ labels: [], label: "a" }).labels).toEqual(["a"]);
    expect(letterOf({ label: "" }).labels).toEqual([]);
  });

  it("has no flow control value that is listed as 0", () => {
    const letter = letterOf({ flowControlKey: "k", rate: 0, period: 0, parallelism: 1 });
    expect(letter.rate).toBeUndefined();
    expect(letter.period).toBeUndefined();
    expect(letter.parallelism).toBe(1);
  });

  it("keeps a header that is called like a prototype's property", () => {
    const header = JSON.parse('{"__proto__":["x"],"constructor":["y"]}') as unknown;
    const read = letterOf({ header }).header;
    expect(Object.entries(read)).toEqual([
      ["__proto__", ["x"]],
      ["constructor", ["y"]],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it("does not take a field from its prototype", () => {
    expect(problemOf(Object.create(rawRecord()))).toContain("no-dlq-id");
  });
});

describe("a record that cannot be acted on", () => {
  it.each([null, 7, "text", [], undefined])("is no object: %j", (raw) => {
    expect(problemOf(raw)).toContain("no-dlq-id");
  });

  it.each([undefined, null, "", 17, {}, ["1-0"]])("has no dlqId: %j", (dlqId) => {
    expect(problemOf(rawRecord({ dlqId }))).toContain("no-dlq-id");
  });

  it.each([...words("msg_1 1725323658779 1-2-3 -1-0 99999999999999999999-0 1e3-0 １-0"), "1-0\n", " 1-0"])(
    "has a dlqId that is no stream id: %j",
    (dlqId) => {
      expect(problemOf(rawRecord({ dlqId }))).toContain("malformed-record");
    },
  );

  it.each([
    ["url", undefined],
    ["url", ""],
    ["url", 5],
    ["messageId", undefined],
    ["createdAt", undefined],
    ["createdAt", "1725323658779"],
    ["createdAt", -1],
    ["createdAt", Number.NaN],
  ])("lacks who, where or when: %s is %j", (name, value) => {
    expect(problemOf(rawRecord({ [name]: value }))).toMatch(`malformed-record: field "${name}"`);
  });

  it("has an id of half a character, which is none", () => {
    expect(problemOf(rawRecord({ dlqId: "1725323658779-\ud800" }))).toMatch("no-dlq-id");
  });

  it("entered later than a date can be", () => {
    expect(problemOf(rawRecord({ dlqId: "253402300799999-0" }))).toBe("none");
    expect(problemOf(rawRecord({ dlqId: "253402300800000-0" }))).toMatch("malformed-record");
  });

  it.each([
    ["body", { a: 1 }],
    ["bodyBase64", 1],
    ["header", "X-A: 1"],
    ["header", { "X-A": 1 }],
    ["header", { "X-A": ["1", null] }],
    ["callbackHeader", []],
    ["queueName", 7],
    ["maxRetries", "3"],
    ["maxRetries", 1.5],
    ["labels", [1]],
    ["label", 1],
    ["rate", "10"],
    ["responseStatus", "503"],
    ["method", 1],
    ["workflowRunId", 1],
  ])("has a field that a rebuild or a rule needs in another type: %s", (name, value) => {
    expect(problemOf(rawRecord({ [name]: value }))).toMatch(`malformed-record: field "${name}"`);
  });

  it("is named by its field and never by its value", () => {
    expect(problemOf(rawRecord({ body: ["secret-value"] }))).not.toContain("secret-value");
  });
});

it("what describes the failed response is read as far as it goes", () => {
  const letter = letterOf({ responseHeader: { A: 1, B: ["x", {}], C: null }, responseBody: 3 });
  expect(letter.responseHeader).toEqual({ A: ["1"], B: ["x"], C: [] });
  expect(letter.responseBody).toBe("");
  expect(letterOf({ responseHeader: "none" }).responseHeader).toEqual({});
});
