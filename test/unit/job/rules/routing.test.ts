import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { Condition } from "../../../../src/job/rules/rule-spec.ts";
import { address, moment, number, rule, text, value } from "../../../support/conditions.ts";
import { factsOf } from "../../../support/letters.ts";

const holds = (condition: Condition, fields: Record<string, unknown>) =>
  compileRules([rule("r", condition)], "hold")(factsOf(fields)).rule === "r";

/** What test/property/job/rules/routing.test.ts, over a small world, does not meet. */
describe("a condition", () => {
  it.each<[string, Condition, Record<string, unknown>, boolean]>([
    ["no answer is none", number("responseStatus", "none"), { responseStatus: 0 }, true],
    ["no answer is no number", number("responseStatus", "< 1000"), {}, false],
    ["an empty text is absent", text("callback", { exists: false }), { callback: "" }, true],
    ["bytes of the body", number("size", 4), { body: "éé" }, true],
    ["bytes behind base64", number("size", 3), { body: "", bodyBase64: "/wD/" }, true],
    ["an unset rate is absent", number("rate", "none"), { rate: 0 }, true],
    ["the moment of creation", moment("createdAt", "< 2024-09-04"), {}, true],
    ["an address beside a network", address("10.0.0.0/9"), { callerIP: "10.200.3.4" }, false],
    ["an IPv6 address in a network", address("2001:db8::/33"), { callerIP: "2001:db8:7fff::1" }, true],
    ["an IPv6 address beside a network", address("2001:db8::/33"), { callerIP: "2001:db8:8000::1" }, false],
    ["an address with a zone", address("fe80::/10"), { callerIP: "fe80::1%eth0" }, true],
    ["a network written as IPv6", address("::ffff:10.0.0.0/104"), { callerIP: "10.1.1.1" }, true],
    ["IPv4 is not in an IPv6 network", address("::/0"), { callerIP: "10.1.1.1" }, false],
  ])("%s", (_name, condition, fields, expected) => {
    expect(holds(condition, fields)).toBe(expected);
  });

  it.each<[string, unknown, string, boolean]>([
    ["/tenant", "acme", '{"tenant":["acme"]}', false],
    ["/schema", "< 3", '{"schema":"2"}', false],
    ["/schema", "> 2", '{"schema":2.1}', true],
    ["/a~01", "x", '{"a~1":"x"}', true],
    ["/on", true, '{"on":"true"}', false],
    ["/items/1/id", 7, '{"items":[{"id":1},{"id":7}]}', true],
    ["/items/01/id", 7, '{"items":[{"id":1},{"id":7}]}', false],
    ["/items/length", { exists: true }, '{"items":[1]}', false],
    ["/constructor/name", "Object", "{}", false],
  ])("the body's %j asked for %j, %s: %s", (pointer, wanted, body, expected) => {
    expect(holds(value("body", pointer, wanted), { body })).toBe(expected);
    expect(holds(value("responseBody", pointer, wanted), { responseBody: body })).toBe(expected);
  });
});
