import { expect, test } from "vitest";
import { parseDeleted, parseListPage } from "../../../../src/job/service/list-and-delete-answers.ts";

const page = (text: string) => parseListPage(Buffer.from(text), "token-of-a-test");

test("records keep every field, known or not", () => {
  const record = { dlqId: "1-0", messageId: "msg_1", somethingNew: { deep: [1, null, "x"] }, body: "ü" };
  const text = JSON.stringify({ messages: [record], cursor: "next", extra: 1 });
  const value = { records: [record], cursor: "next", bytes: Buffer.byteLength(text) };
  expect(page(text)).toEqual({ kind: "value", value });
});

test.each(['{"messages":[]}', '{"messages":[],"cursor":""}', '{"messages":[],"cursor":null}'])(
  "%s is the end",
  (text) => {
    expect(page(text)).toEqual({ kind: "value", value: { records: [], bytes: text.length } });
  },
);

test("integers beyond 2^53 are tolerated", () => {
  expect(page('{"messages":[{"notBefore":92233720368547758070}]}').kind).toBe("value");
});

test.each([
  ["not JSON", "<html>"],
  ["nothing", ""],
  ["an array", "[]"],
  ["no messages", "{}"],
  ["null messages", '{"messages":null}'],
  ["messages that are no array", '{"messages":{}}'],
  ["a cursor that is no text", '{"messages":[],"cursor":5}'],
  ["half a character for a cursor", '{"messages":[],"cursor":"\\ud800"}'],
  ["an error with status 200", '{"error":"x"}'],
])("a listing with %s cannot be read", (_name, text) => {
  expect(page(text).kind).toBe("problem");
});

test("what is no object is a record without an id, beside its neighbours", () => {
  const parsed = page('{"messages":[1,{"dlqId":"1-0"},null,[]]}');
  const records = [{ listed: 1 }, { dlqId: "1-0" }, { listed: null }, { listed: [] }];
  expect(parsed).toMatchObject({ kind: "value", value: { records } });
});

test.each([0, 1, 3])("a delete of 3 may have deleted %d", (deleted) => {
  expect(parseDeleted(Buffer.from(JSON.stringify({ deleted, cursor: "" })), 3)).toEqual({
    kind: "value",
    value: { deleted },
  });
});

test.each(['{"deleted":4}', '{"deleted":-1}', '{"deleted":1.5}', '{"deleted":"3"}', "{}", "3", ""])(
  "a delete of 3 that answers %s cannot be read",
  (text) => {
    expect(parseDeleted(Buffer.from(text), 3).kind).toBe("problem");
  },
);
