import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { Condition } from "../../../../src/job/rules/rule-spec.ts";
import { address, duration, header, moment, number, rule, text, value } from "../../../support/conditions.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";

const holds = (condition: Condition, fields: Record<string, unknown>, known = {}) =>
  compileRules([rule("r", condition)], "hold")(factsOf(fields, known)).rule === "r";

describe("a condition", () => {
  it.each<[string, Condition, Record<string, unknown>, boolean]>([
    ["a status", number("responseStatus", [429, "502-504"]), { responseStatus: 503 }, true],
    ["another status", number("responseStatus", [429, "502-504"]), { responseStatus: 500 }, false],
    ["no answer is none", number("responseStatus", "none"), { responseStatus: 0 }, true],
    ["no answer is no number", number("responseStatus", "< 1000"), {}, false],
    ["an answer is not none", number("responseStatus", "none"), { responseStatus: 200 }, false],
    ["a host glob", text("host", "*.example.com"), {}, true],
    ["a host glob without its dot", text("host", "*.example.com"), { url: "https://example.com" }, false],
    ["a host in another case", text("host", "API.Example.Com"), { url: "https://api.EXAMPLE.com" }, true],
    ["a host without the record's port", text("host", "a.example"), { url: "http://a.example:81/" }, true],
    ["a host with the record's port", text("host", "a.example:81"), { url: "http://a.example:81/" }, true],
    ["a host of what is no URL", text("host", "*"), { url: "orders" }, false],
    ["no host of what is no URL", text("host", "none"), { url: "orders" }, true],
    ["a path", text("path", "/orders"), { url: "https://a.example/orders?x=1" }, true],
    ["a path prefix", text("path", "/or*"), {}, true],
    ["a path in another case", text("path", "/Orders"), {}, false],
    ["the whole url", text("url", "https://api.example.com/orders"), {}, true],
    ["an absent topic", text("topicName", "*"), {}, false],
    ["an absent topic is none", text("topicName", ["x", "none"]), {}, true],
    ["a queue", text("queueName", "q"), { queueName: "q" }, true],
    ["any of the labels", text("label", "b"), { labels: ["a", "b"] }, true],
    ["no label", text("label", "none"), {}, true],
    ["a method in another case", text("method", "post"), {}, true],
    ["a header in another case", header("x-tenant", "acme"), { header: { "X-Tenant": ["o", "acme"] } }, true],
    ["a value in another case", header("x-tenant", "ACME"), { header: { "X-Tenant": ["acme"] } }, false],
    ["an absent header", header("x-tenant", "*"), { header: {} }, false],
    ["an absent header is none", header("x-tenant", "none"), { header: {} }, true],
    ["a header called like a prototype's property", header("constructor", "*"), { header: {} }, false],
  ])("%s", (_name, condition, fields, expected) => {
    expect(holds(condition, fields)).toBe(expected);
  });

  const waits = header("retry-after", { exists: true }, "response");
  it.each<[string, Condition, Record<string, unknown>, boolean]>([
    ["a prefix", text("path", { prefix: "/or" }), {}, true],
    ["a suffix", text("path", { suffix: "ers" }), {}, true],
    ["a suffix of a host in another case", text("host", { suffix: ".EXAMPLE.com" }), {}, true],
    ["a text with a star, meant as itself", text("topicName", { equals: "a*" }), { topicName: "ab" }, false],
    ["a text called none", text("topicName", { equals: "none" }), { topicName: "none" }, true],
    ["a regex, found anywhere", text("body", { regex: '"order":[0-9]' }), {}, true],
    ["a regex, anchored", text("topicName", { regex: "^ord$" }), { topicName: "orders" }, false],
    ["what is there", text("topicName", { exists: true }), { topicName: "orders" }, true],
    ["what is not there", text("topicName", { exists: true }), {}, false],
    ["an empty text is absent", text("callback", { exists: false }), { callback: "" }, true],
    ["an empty body is absent", text("body", "none"), { body: "" }, true],
    ["a schedule", text("scheduleId", "s1"), { scheduleId: "s1" }, true],
    ["a flow control key", text("flowControlKey", "k*"), { flowControlKey: "k1" }, true],
    ["a response body", text("responseBody", "*timeout*"), { responseBody: "a timeout." }, true],
    ["a response header", waits, { responseHeader: { "Retry-After": "3" } }, true],
    ["a request header is no response header", waits, { header: { "Retry-After": ["3"] } }, false],
    ["bytes of the body", number("size", 4), { body: "éé" }, true],
    ["bytes behind base64", number("size", 3), { body: "", bodyBase64: "/wD/" }, true],
    ["no bytes", number("size", 0), { body: "" }, true],
    ["retries", number("maxRetries", "< 3"), { maxRetries: 0 }, true],
    ["an unset rate is absent", number("rate", "none"), { rate: 0 }, true],
    ["a parallelism", number("parallelism", { exists: true }), { parallelism: 5 }, true],
    ["the moment of creation", moment("createdAt", "< 2024-09-04"), {}, true],
    ["the moment of creation, later", moment("createdAt", ">= 2024-09-04"), {}, false],
    ["no first moment", moment("notBefore", { exists: false }), {}, true],
    ["an address in a network", address("10.0.0.0/8"), { callerIP: "10.200.3.4" }, true],
    ["an address beside a network", address("10.0.0.0/9"), { callerIP: "10.200.3.4" }, false],
    ["an IPv6 address in a network", address("2001:db8::/33"), { callerIP: "2001:db8:7fff::1" }, true],
    ["an IPv6 address beside a network", address("2001:db8::/33"), { callerIP: "2001:db8:8000::1" }, false],
    ["an address with a zone", address("fe80::/10"), { callerIP: "fe80::1%eth0" }, true],
    ["an address written as IPv6", address("10.0.0.0/8"), { callerIP: "::ffff:10.1.1.1" }, true],
    ["a network written as IPv6", address("::ffff:10.0.0.0/104"), { callerIP: "10.1.1.1" }, true],
    ["IPv4 is not in an IPv6 network", address("::/0"), { callerIP: "10.1.1.1" }, false],
    ["what is no address is there", address({ exists: true }), { callerIP: "gateway" }, true],
    ["what is no address is in no network", address("0.0.0.0/0"), { callerIP: "gateway" }, false],
    ["no publisher's address", address("none"), {}, true],
  ])("%s", (_name, condition, fields, expected) => {
    expect(holds(condition, fields)).toBe(expected);
  });

  it.each<[string, unknown, string, boolean]>([
    ["/tenant", "acme", '{"tenant":"acme"}', true],
    ["/tenant", "acme", '{"tenant":["acme"]}', false],
    ["/schema", "< 3", '{"schema":2}', true],
    ["/schema", "< 3", '{"schema":3}', false],
    ["/schema", "< 3", '{"schema":"2"}', false],
    ["/schema", "> 2", '{"schema":2.1}', true],
    ["/schema", 2, '{"schema":"2"}', false],
    ["/schema", "> 2", '{"schema":2}', false],
    ["/schema", ">= 2", '{"schema":2}', true],
    ["/schema", "<= 2", '{"schema":2}', true],
    ["/a~01", "x", '{"a~1":"x"}', true],
    ["/schema", { range: "3-7" }, '{"schema":7}', true],
    ["/on", true, '{"on":true}', true],
    ["/on", true, '{"on":"true"}', false],
    ["/on", null, '{"on":null}', true],
    ["/on", { exists: true }, '{"on":null}', true],
    ["/on", null, "{}", false],
    ["/on", "none", "{}", true],
    ["/items/1/id", 7, '{"items":[{"id":1},{"id":7}]}', true],
    ["/items/01/id", 7, '{"items":[{"id":1},{"id":7}]}', false],
    ["/items/-", "none", '{"items":[1]}', true],
    ["/items/length", { exists: true }, '{"items":[1]}', false],
    ["/a~1b/c~0d", "x", '{"a/b":{"c~d":"x"}}', true],
    ["", "text", '"text"', true],
    ["/__proto__", { exists: true }, "{}", false],
    ["/__proto__", "x", '{"__proto__":"x"}', true],
    ["/constructor/name", "Object", "{}", false],
    ["/tenant", "none", "no json", true],
    ["/tenant", { exists: true }, "no json", false],
  ])("the body's %j asked for %j, %s: %s", (pointer, wanted, body, expected) => {
    expect(holds(value("body", pointer, wanted), { body })).toBe(expected);
    expect(holds(value("responseBody", pointer, wanted), { responseBody: body })).toBe(expected);
  });

  it("asks for the time that is left", () => {
    const known = { now: enteredAt, expiresAt: enteredAt + 3_600_000 };
    expect(holds(duration("timeLeft", "<= 1h"), {}, known)).toBe(true);
    expect(holds(duration("timeLeft", "< 1h"), {}, known)).toBe(false);
    expect(holds(duration("timeLeft", "< 1m"), {}, { now: enteredAt, expiresAt: enteredAt - 1 })).toBe(true);
  });

  it("counts age from entry and messageAge from the root's creation", () => {
    const known = { now: enteredAt + 60_000, rootCreatedAt: enteredAt - 3_600_000 };
    expect(holds(duration("age", ">= 1m"), {}, known)).toBe(true);
    expect(holds(duration("age", "> 1m"), {}, known)).toBe(false);
    expect(holds(duration("messageAge", "> 1h"), {}, known)).toBe(true);
    expect(holds(duration("age", "< 5m"), {}, { now: enteredAt - 1_000 })).toBe(true);
  });

  it("asks for redrives already made", () => {
    expect(holds(number("attempt", ">= 2"), {}, { attempt: 2 })).toBe(true);
    expect(holds(number("attempt", ">= 2"), {}, { attempt: 1 })).toBe(false);
  });
});

describe("a rule list", () => {
  it("is decided by otherwise when no rule holds", () => {
    expect(compileRules([], "park")(factsOf())).toEqual({ then: "park", rule: null, set: {} });
    expect(compileRules([], "hold")(factsOf())).toEqual({ then: "hold", rule: null, set: {} });
  });

  it("skips a rule after its date and not before", () => {
    const route = compileRules([rule("temporary", { kind: "any" }, { ignoreAfter: 1_000 })], "hold");
    expect(route(factsOf({}, { now: 1_000 })).rule).toBe("temporary");
    expect(route(factsOf({}, { now: 1_001 })).rule).toBeNull();
  });
});
