import { expect, test } from "vitest";
import { rawErrorText, toErrorText, toShownErrorText } from "../../../src/service/error-text-filter.ts";

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
  [`token ${token} is not valid`],
  [`token ${token.slice(0, 12)} is not valid`],
  [`bearer ${token}`],
  ["got eyJVc2VySUQiOiJhYmMiLCJQYXNzd29yZCI6ImRlZiJ9 instead"],
  [`a${"b".repeat(60)}`],
])("%s loses what looks like a token", (text) => {
  const clean = toErrorText(text, token);
  expect(clean).toContain("[removed]");
  expect(clean).not.toContain(token.slice(0, 12));
  expect(clean).not.toMatch(/eyJVc2|bbbb/);
});

test("the text is one line of at most 200 characters", () => {
  const clean = toErrorText(`first\r\nsecond\u001b[31m ${"word ".repeat(100)}`, token);
  expect(clean).toMatch(/^first second … word /);
  expect(clean.length).toBe(200);
});

test("cutting does not leave half a character", () => {
  const clean = toErrorText(`${"x ".repeat(99)}😀😀`, token);
  expect(Buffer.from(clean).toString()).toBe(clean);
});

test("a token with characters that mean something in patterns is removed", () => {
  expect(toErrorText("not valid: a+b/c==(x)", "a+b/c==(x)")).toBe("not valid: [removed]");
});

test.each([
  ["invalid destination url: https://a.example/?key=1", "invalid destination url: …"],
  ["quota maxMessageSize exceeded", "quota maxMessageSize exceeded"],
  ["DeduplicationId cannot contain ':'", "DeduplicationId cannot contain ':'"],
  ["rate-limit of 100 per second exceeded.", "rate-limit of 100 per second exceeded."],
  ["cannot read Xylophone Quixotic at 12", "cannot read … at 12"],
  ["card 4111111111111111 is not valid", "… is not valid"],
  [
    "failed to connect to db-7.internal:5432: context deadline exceeded",
    "failed to connect to … context deadline exceeded",
  ],
  ["panic: runtime error: nil pointer dereference", "panic: runtime error: nil pointer dereference"],
  ["__proto__ constructor 'pass' pw=1", "a text of 33 characters, not repeated here"],
])("only words of errors are told: %s", (text, told) => {
  expect(toErrorText(text, token)).toBe(told);
});

test.each([
  ['body "secret order" is not valid', 'body "…" is not valid'],
  ['cannot read "secret order without an end', 'cannot read "…"'],
  ['bad item {"pw":"secret"} at 3', 'bad item "…"'],
])("what the service quotes is left out, because it may be a part of a message: %s", (text, told) => {
  expect(toErrorText(text, token)).toBe(told);
});

test.each([
  ['{"error":"invalid destination url"}', "invalid destination url"],
  ['{"errors":[{"message":"connection pool exhausted"}]}', "connection pool exhausted"],
  ['{"errors":["leader unavailable"]}', "leader unavailable"],
  ['{"type":"about:blank","title":"Internal Server Error","status":500}', "Internal Server Error"],
  ['{"detail":"internal error: Xylophone"}', "internal error: …"],
  ['{"error":"Xylophone","detail":"internal error"}', "a text of 9 characters, not repeated here"],
  ['{"other":1}', "a text of 11 characters, not repeated here"],
  ["quota maxRetries exceeded", "quota maxRetries exceeded"],
])("of JSON, the error's own text is told: %s", (body, told) => {
  expect(toShownErrorText(whole(body), token)).toBe(told);
});

test.each([
  ["<html>secret order</html>", "a page of 25 bytes, not repeated here"],
  ["<!DOCTYPE html><h1>502 Bad\n Gateway</h1> secret", 'a page of 47 bytes that says "bad gateway"'],
  ["Internal Server Error", 'a text of 21 bytes that says "internal server error"'],
  ["no healthy upstream for customer 4711", 'a text of 37 bytes that says "no healthy upstream"'],
  ["secret order", "a text of 12 bytes, not repeated here"],
  ["", ""],
])("of a body that is not the service's own JSON, its size and a phrase that is ours: %s", (body, told) => {
  expect(toShownErrorText(whole(body), token)).toBe(told);
});

test("a body that was cut is not told", () => {
  expect(toShownErrorText({ kind: "cut", by: "timeout" }, token)).toBe("");
});
