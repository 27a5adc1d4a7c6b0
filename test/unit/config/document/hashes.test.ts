import { describe, expect, it } from "vitest";
import { drainOf, head, load } from "../../../support/loaded-document.ts";

const base = `${head}drains: { orders: { select: { topicName: [a, b] }, rules: [{ name: x, when: { host: [p, q], age: "< 5m" }, then: hold }] } }`;
const hashOfSet = (set: string) =>
  drainOf(base.replace("then: hold", `then: republish, set: ${set}`)).rulesHash;
const hashOfWhen = (when: string) =>
  drainOf(`${head}drains: { orders: { rules: [{ when: ${when}, then: hold }] } }`).rulesHash;

describe("hashes", () => {
  it("stay when only words, order of names or spelled-out defaults change", () => {
    const same = `# comment
drains:
  orders:
    rules:
      - { then: hold, when: { age: "<= 299999ms", host: [q, p] }, name: x }
    select: { topicName: [b, a, a] }
    minAge: 120s
sources: { default: { retention: 72h } }
version: 1`;
    expect(load(same).document.hash).toBe(load(base).document.hash);
    expect(drainOf(same).rulesHash).toBe(drainOf(base).rulesHash);
  });

  it.each([
    ['age: "< 5m"', 'age: "> 5m"', true],
    ["then: hold", "then: park", true],
    ["name: x", "name: y", true],
    ["select:", "minAge: 1m, select:", true],
    ["select:", "mode: live, select:", false],
    ["select:", "paused: true, select:", false],
    ["select:", "onLoss: republish, select:", true],
    ["select:", "limits: { publish: 1/s }, select:", false],
    ["select:", "lane: none, select:", false],
    ["select:", "flowControl: { key: k, rate: 1 }, select:", true],
    ["select: {", "select: { fromDate: -2d,", false],
    ["sources: { default: {} }", "sources: { default: { retention: 7d } }", false],
    ["sources: { default: {} }", "archive: { dir: /a }\nsources: { default: {} }", false],
    // Written, it says that the source has a ledger of its own, and a daemon that was halted for the lack of
    // it has to hear of that.
    ["sources: { default: {} }", "sources: { default: { id: default } }", false],
  ])("change from %s to %s; the rules' hash: %s", (from, to, rulesToo) => {
    const changed = base.replace(from, to);
    expect(load(changed).document.hash).not.toBe(load(base).document.hash);
    expect(drainOf(changed).rulesHash !== drainOf(base).rulesHash).toBe(rulesToo);
  });

  it("know that the time which is left depends on the source's retention", () => {
    const asking = base.replace("age:", "timeLeft:");
    const longer = asking.replace("default: {}", "default: { retention: 7d }");
    expect(drainOf(longer).rulesHash).not.toBe(drainOf(asking).rulesHash);
  });

  it("stay when only tests change, and follow a rule's limit in the document's alone", () => {
    const tested = base.replace(
      "select:",
      "tests: [{ name: t, given: {}, expect: { then: hold } }], select:",
    );
    expect(load(tested).document.hash).toBe(load(base).document.hash);
    const republish = base.replace("then: hold", "then: republish");
    const limited = base.replace("then: hold", "then: republish, limit: 5/s");
    expect(load(limited).document.hash).not.toBe(load(republish).document.hash);
    expect(drainOf(limited).rulesHash).toBe(drainOf(republish).rulesHash);
  });

  it.each([
    ["{ body: { merge: { label: [a, b] } } }", "{ body: { merge: { label: [b, a] } } }"],
    [
      "{ body: { patch: [{ op: add, path: /a, value: 1 }] } }",
      "{ body: { patch: [{ op: add, path: /a, value: 2 }] } }",
    ],
    ["{ labels: [a, b] }", "{ labels: [a] }"],
    ["{ flowControl: null }", "{ flowControl: { key: k, rate: 1 } }"],
  ])("follow what is set: %s or %s", (one, other) => {
    expect(hashOfSet(one)).not.toBe(hashOfSet(other));
  });

  it.each([
    ["{ header: { A: x } }", "{ responseHeader: { A: x } }"],
    ["{ body: { /a: 1 } }", "{ body: { /b: 1 } }"],
    ['{ body: { /a: "< 1" } }', '{ body: { /a: "<= 1" } }'],
    ['{ body: { /a: "x" } }', '{ body: "x" }'],
    ["{ host: { prefix: x } }", "{ host: { suffix: x } }"],
    ["{ callerIp: 10.0.0.0/8 }", "{ callerIp: 10.0.0.0/9 }"],
  ])("follow what is asked: %s or %s", (one, other) => {
    expect(hashOfWhen(one)).not.toBe(hashOfWhen(other));
  });

  it("follow the order of rules", () => {
    const rules = [
      "{ name: a, when: { host: p }, then: hold }",
      "{ name: b, when: { host: q }, then: park }",
    ];
    const [forwards, backwards] = [rules, rules.toReversed()].map(
      (list) => drainOf(`${head}drains: { orders: { rules: [${list.join(", ")}] } }`).rulesHash,
    );
    expect(forwards).not.toBe(backwards);
  });
});
