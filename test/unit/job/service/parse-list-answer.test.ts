import { expect, test, vi } from "vitest";
import { parseListAnswer } from "../../../../src/job/service/parse-list-answer.ts";

const recordsOf = (count: number, fieldsOf: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => ({ dlqId: `1725323658779-${index}`, ...fieldsOf(index) }));
const plain = recordsOf(100, (index) => ({ body: "b".repeat(1_000 + 37 * index) }));
const bodies = (bodyOf: (index: number) => string) => ({
  messages: recordsOf(40, (index) => ({ body: bodyOf(index), c: "" })),
});
const shorts = recordsOf(90, () => ({ body: "b".repeat(20) }));
const asText = (value: unknown): string => JSON.stringify(value);
const whole = asText({ messages: plain, cursor: "next" });

test.each([
  ["records and a cursor", whole],
  ["a cursor before the records", asText({ cursor: "next", messages: plain })],
  ["no cursor", asText({ messages: plain })],
  ["a byte order mark", `\ufeff${whole}`],
  ["spaces", JSON.stringify({ messages: plain, cursor: "next" }, null, 1)],
  ["texts that read like records", asText(bodies((index) => '[{"a":1},{"b":2}]'.repeat(300 + index)))],
  ["texts that end like records", asText(bodies((index) => `${"b".repeat(5_000 + index)}},{`))],
  ["lists of objects in records", asText({ messages: recordsOf(40, () => ({ tries: shorts })) })],
  ["other lists of objects before", asText({ others: plain, messages: plain, cursor: "next" })],
  ["other lists of objects behind", asText({ messages: plain, others: plain, cursor: "next" })],
  ["a 0 at the end of its records", asText({ messages: [...plain, 0], others: plain, cursor: "next" })],
  // JSON puts it first, although it comes last.
  ["another list with a number for its name", `{"messages":${asText(plain)},"0":${asText(plain)}}`],
  ["an object around it", asText({ answer: { messages: plain } })],
  ["a list around it", asText([{ messages: plain }, { messages: plain }])],
  ["only other lists", asText({ others: plain })],
  ["a list alone", asText(plain)],
  ["wide characters", asText({ messages: recordsOf(80, () => ({ body: "ä日😀".repeat(400) })) })],
  ["a record larger than a part", asText({ messages: [...plain, { body: "b".repeat(300_000) }, ...plain] })],
  ["two larger than a part", asText({ messages: ["a", "b"].map((one) => ({ body: one.repeat(90_000) })) })],
  ["numbers between its records", asText({ messages: [...plain, 0, ...plain, 0] })],
  ["names that objects have", `{"__proto__":{"a":1},"messages":${asText(plain)},"constructor":1}`],
])("%s are read as JSON has them", (_name, text) => {
  const bytes = Buffer.from(text);
  expect(parseListAnswer(bytes)).toEqual(JSON.parse(text.replace(/^\ufeff/, "")));
  expect(bytes.equals(Buffer.from(text))).toBe(true);
});

test("a million of what is no record are read too", () => {
  const text = `{"messages":[${"0,".repeat(1_000_000)}0]}`;
  expect((parseListAnswer(Buffer.from(text)) as { messages: unknown[] }).messages).toHaveLength(1_000_001);
});

test("an answer that is cut anywhere, or goes on behind its end, is no JSON", () => {
  for (let end = 1; end < whole.length; end += 4_999) {
    expect(parseListAnswer(Buffer.from(whole.slice(0, end)))).toBe(undefined);
  }
  expect(parseListAnswer(Buffer.from(`${whole}}`))).toBe(undefined);
  expect(parseListAnswer(Buffer.from(`${whole},{"messages":[]}`))).toBe(undefined);
});

test("a byte that is not UTF-8 is half a character of its record, in whatever part, and alters no other", () => {
  for (let at = 50_000; at < whole.length; at += 60_000) {
    const [bytes, found] = [Buffer.from(whole), whole.indexOf("bbb", at)];
    bytes[found] = 0xff;
    const marked = `${whole.slice(0, found)}\ud800${whole.slice(found + 1)}`;
    expect(parseListAnswer(bytes)).toEqual(JSON.parse(marked));
  }
  const beside = [
    Buffer.from('{"messages":["\ufffd\u00ef", "'),
    Buffer.from([0xef, 0xbf]),
    Buffer.from('"]}'),
  ];
  expect(parseListAnswer(Buffer.concat(beside))).toEqual({ messages: ["\ufffd\u00ef", "\ud800"] });
});

test("no text has 128 KiB", () => {
  using parse = vi.spyOn(JSON, "parse");
  for (const messages of [plain, recordsOf(80, () => ({ body: "日".repeat(1_200) }))]) {
    parseListAnswer(Buffer.from(asText({ messages, cursor: "next" })));
  }
  const sizes = parse.mock.calls.map(([text]) => text.length * (/[\u0100-\uffff]/.test(text) ? 2 : 1));
  expect(sizes.length).toBeGreaterThan(8);
  expect(Math.max(...sizes)).toBeLessThan(131_000);
});
