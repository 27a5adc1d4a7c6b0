import { expect, test } from "vitest";
import {
  rawErrorText,
  toErrorText,
  toShownErrorText,
} from "../../../../src/job/service/error-text-filter.ts";

const token = "qst_live_9f8e7d6c5b4a39281706";
const whole = (text: string) => ({ kind: "whole", bytes: Buffer.from(text) }) as const;

test.each([
  ['{"error":"invalid destination url"}', "invalid destination url"],
  ['{"error":{"message":"no such queue"}}', "no such queue"],
  ['{"code":"x","message":"no such index"}', "no such index"],
  ["<html>Bad Gateway</html>", "<html>Bad Gateway</html>"],
  ['{"other":1}', '{"other":1}'],
])("the error text of %s is found", (body, text) => {
  expect(rawErrorText(whole(body))).toBe(text);
});

test.each([
  [`token ${token} is not valid`, "token [removed] is not valid"],
  [`token ${token.slice(0, 12)} is not valid`, "token [removed] is not valid"],
  [`bearer ${token}`, "bearer <secret>"],
  ["got eyJVc2VySUQiOiJhYmMiLCJQYXNzd29yZCI6ImRlZiJ9 instead", "got <id> instead"],
  [`a${"b".repeat(60)}`, "<hex>"],
])("%s loses what looks like a token", (text, shown) => {
  expect(toErrorText(text, token)).toBe(shown);
});

test("the text is one line of at most 200 characters", () => {
  const shown = toErrorText(`first\r\nsecond ${"word ".repeat(100)}`, token);
  expect(shown).toMatch(/^first second word .*…$/);
  expect(shown.length).toBe(200);
});

test("cutting does not leave half a character", () => {
  const shown = toErrorText(`${"x ".repeat(99)}😀😀`, token);
  expect(Buffer.from(shown).toString()).toBe(shown);
});

test("a token with characters that mean something in patterns is removed", () => {
  expect(toErrorText("not valid: a+b/c==(x)", "a+b/c==(x)")).toBe("not valid: [removed]");
});

test.each([
  ["invalid destination url: https://a.example/?key=1", "invalid destination url: <url>"],
  ["quota maxMessageSize exceeded", "quota maxMessageSize exceeded"],
  ['body "secret order" is not valid', "body <text> is not valid"],
  ["body 'secret order' is not valid", "body <text> is not valid"],
  ['cannot read "secret order without an end', "cannot read <text>"],
  ['bad item {"pw":"secret"} at 3', "bad item <text>"],
])(
  "ids and what the service quotes are masked, because they may be parts of a message: %s",
  (text, shown) => {
    expect(toErrorText(text, token)).toBe(shown);
  },
);

test.each([
  ['{"error":"invalid destination url"}', "invalid destination url"],
  ['{"errors":[{"message":"connection pool exhausted"}]}', "connection pool exhausted"],
  ['{"type":"about:blank","title":"Internal Server Error","status":500}', "Internal Server Error"],
  ['{"error":"order \\"secret","detail":"internal error"}', "order <text>"],
  [`{"error":"bad token ${token}"}`, "bad token [removed]"],
  ['{"other":1}', "(json: other)"],
  ["quota maxRetries exceeded", "quota maxRetries exceeded"],
])("JSON is shown by its error's own text: %s", (body, shown) => {
  expect(toShownErrorText(whole(body), token)).toBe(shown);
});

test.each([
  ["<html>secret order</html>", "a page of 25 bytes, not repeated here"],
  ["<!DOCTYPE html><h1>502 Bad\n Gateway</h1> secret", 'a page of 47 bytes that says "bad gateway"'],
  ["Internal Server Error", 'a text of 21 bytes that says "internal server error"'],
  ["no healthy upstream for customer 4711", 'a text of 37 bytes that says "no healthy upstream"'],
  ["secret order", "a text of 12 bytes, not repeated here"],
  ["", ""],
])("any other body is shown by its size and a known phrase: %s", (body, shown) => {
  expect(toShownErrorText(whole(body), token)).toBe(shown);
});

test("a body that was cut is not shown", () => {
  expect(toShownErrorText({ kind: "cut", by: "timeout" }, token)).toBe("");
});
