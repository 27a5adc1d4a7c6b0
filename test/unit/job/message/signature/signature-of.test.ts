import { describe, expect, it } from "vitest";
import { signatureOf } from "../../../../../src/job/message/signature/signature-of.ts";
import { letterOf } from "../../../../support/letters.ts";

const of = (responseBody: string, fields: Record<string, unknown> = {}) =>
  signatureOf(letterOf({ responseStatus: 500, responseBody, ...fields }));
const textOf = (responseBody: string) => of(responseBody).text;

describe("a failure's text", () => {
  it.each([
    ["upstream connect error or disconnect/reset", "upstream connect error or disconnect/reset"],
    ["Order 12345 not found (id=9f8c2d8e-1111-4222-8333-444455556666)", "Order <n> not found (id=<id>)"],
    ["can't connect to 'db-7.prod' at 10.0.0.1:5432 in 3000ms", "can't connect to <text> at <ip> in <n>ms"],
    ["Mon, 01 Jan 2024 00:00:00 GMT boom", "<time> boom"],
    ['unknown field "tenant name" in body', "unknown field <text> in body"],
    ["bad token=abc, api_key: zzz", "bad token=<secret>, api_key: <secret>"],
    ["token expired", "token expired"],
    ["Bearer A~!~$-+ refused", "Bearer <secret> refused"],
    ['Bearer realm="api" refused', "Bearer realm=<text> refused"],
    ["{error: bearer token}", "{error: bearer token}"],
    ["Bearer aaaa refused, bearer token missing", "Bearer <secret> refused, bearer token missing"],
    ["Basic dXNlcjpwdw== refused, basic check failed", "Basic <secret> refused, basic check failed"],
    ["password => hunter2; X-Api-Key: hunter3", "password => <secret>; X-Api-Key: <secret>"],
    ["Set-Cookie: sid=hunter2; lang=de; Path=/, then more", "Set-Cookie: <secret>, then more"],
    ["dial postgres:hunter2@db/orders failed", "dial <email> failed"],
    ["key xK9_aB-cD_eF-gH1 and kq3w9-x7nb-2wplz", "key <id> and <id>"],
    ["key=abcdefgh but Key: orders_pkey", "key=<secret> but Key: orders_pkey"],
    ["Cannot POST /v1/Orders/8dh3k2x/items", "Cannot POST /v<n>/Orders/<id>/items"],
    ["com.example.v2.OrderService: order-created-v2", "com.example.v<n>.OrderService: order-created-v<n>"],
    ["ids 1, 2, 3 and 4,5", "ids <n> and <n>"],
    ["java.IllegalState at com.Foo.bar(Foo.java:123)", "java.IllegalState at com.Foo.bar(Foo.java:<n>)"],
    ["  several\n\t lines  ", "several lines"],
    ["サービスが利用できません", "サービスが利用できません"],
    ["", "(empty)"],
  ])("of %j is %j", (body, text) => {
    expect(textOf(body)).toBe(text);
  });

  it.each([
    ['{"error":"invalid tenant"}', "invalid tenant"],
    ['{"message":"Order 17 failed","code":"E1001","trace":"a1b2"}', "E1001: Order <n> failed"],
    ['{"error":{"message":"No such: cus_9s6XKzkNRiz8i3","code":"missing"}}', "missing: No such: <id>"],
    ['{"title":"Conflict","detail":"Row 5 exists","status":409}', "Conflict: Row <n> exists"],
    ['{"errors":[{"message":"first"},{"message":"second"}]}', "first"],
    ['[{"code":40401}]', "40401"],
    ['{"error":"same","message":"same"}', "same"],
    ['{"ok":false,"trace":"abc"}', "(json: ok, trace)"],
    ['"plain text"', "plain text"],
    ['{"message":', "{<text>:"],
  ])("of JSON prefers its error fields: %s", (body, text) => {
    expect(textOf(body)).toBe(text);
  });

  it("of JSON that is too long to be read whole finds the same fields", () => {
    const padding = JSON.stringify("x".repeat(10_000));
    expect(textOf(`{"code":"E1001","message":"Order 17 \\"failed\\"","dump":${padding}}`)).toBe(
      textOf('{"code":"E1001","message":"Order 17 \\"failed\\""}'),
    );
    expect(textOf(`{"a":${padding}}`)).toBe("(json)");
    // Cut in the middle of a token, of which the first half alone would pass for a word.
    const cut = `{"message":"${"word ".repeat(58)}qwertyuiopasdf1234567","dump":${padding}}`;
    expect(textOf(cut)).not.toContain("qwert");
  });

  it.each([
    ["<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>1.2</body>", "<n> Bad Gateway"],
    ["<html><body>no title for jane@example.com</body></html>", "(html)"],
    [
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><RequestId>4442587FB7D0A2F9</RequestId></Error>',
      "AccessDenied <hex>",
    ],
  ])("of markup is its title or its text: %s", (body, text) => {
    expect(textOf(body)).toBe(text);
  });

  it("of a body that is not UTF-8 is not looked at", () => {
    expect(of("", { responseBodyBase64: "//8=" }).text).toBe("(binary)");
  });

  it("has at most 120 characters and ends between them", () => {
    const text = textOf("unavailable ".repeat(50));
    expect(text).toHaveLength(120);
    expect(text.endsWith("…")).toBe(true);
    // The placeholder for 17 begins at character 119.
    expect(textOf(`${"word ".repeat(23)}ab 17 and more`)).toBe(`${"word ".repeat(23)}ab …`);
    expect(textOf(`${"é ".repeat(59)}\u{1f600}\u{1f600}`)).not.toMatch(/\p{Cs}/u);
  });
});

describe("a signature", () => {
  it("is shared by failures that differ only in their data", () => {
    const one = of("Order 1 of jane@example.com at 2025-10-19T18:33:05Z timed out");
    const other = of("Order 20077 of bob@example.org at 2026-01-02T00:00:00Z timed out");
    expect(other).toEqual(one);
    expect(one.key).toMatch(/^[0-9a-f]{12}$/);
  });
});
