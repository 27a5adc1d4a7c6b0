import { describe, expect, it, test } from "vitest";
import { proxyFor } from "../../../src/egress/proxy-for.ts";

const url = "http://proxy.example.com:3128";

test.each([
  ["https://qstash.example.com", url, { hostname: "proxy.example.com", port: 3128, authorization: null }],
  ["https://qstash.example.com", "http://proxy.example.com/", { hostname: "proxy.example.com", port: 80 }],
  ["https://qstash.example.com", "http://[::1]:8080", { hostname: "::1", port: 8080 }],
  [
    "https://qstash.example.com",
    "http://user:p%40ss%C3%A9@proxy.example.com:3128",
    { authorization: `Basic ${Buffer.from("user:p@ssé", "utf8").toString("base64")}` },
  ],
])("%s goes through %s", (target, proxy, expected) => {
  expect(proxyFor(new URL(target), { url: proxy, except: [] })).toMatchObject(expected);
});

it("is nobody's way without a proxy, and not that of an address without TLS", () => {
  expect(proxyFor(new URL("https://qstash.example.com"), { url: undefined, except: [] })).toBeNull();
  expect(proxyFor(new URL("http://127.0.0.1:8080"), { url, except: [] })).toBeNull();
});

describe("hosts that are called directly", () => {
  test.each([
    ["*", "https://a.example.com", true],
    ["example.com", "https://example.com", true],
    ["example.com", "https://a.example.com", true],
    ["example.com", "https://notexample.com", false],
    [".example.com", "https://a.b.example.com", true],
    [".example.com", "https://example.com", true],
    ["*.example.com", "https://a.example.com", true],
    ["Example.COM", "https://a.example.com", true],
    ["example.com:8443", "https://a.example.com:8443", true],
    ["example.com:8443", "https://a.example.com", false],
    ["example.com:443", "https://a.example.com", true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/99", "https://10.1.2.3", false],
    ["10.1.2.3", "https://10.1.2.3", true],
    ["2.3", "https://10.1.2.3", false],
    ["::1", "https://[::1]", true],
    ["[::1]:443", "https://[::1]", true],
    ["fd00::/8", "https://[fd12::1]", true],
    ["fd00::/8", "https://10.1.2.3", false],
    [".", "https://a.example.com", false],
  ])("%s and %s: %s", (entry, target, isDirect) => {
    expect(proxyFor(new URL(target), { url, except: ["other.example.net", entry] }) === null).toBe(isDirect);
  });
});
