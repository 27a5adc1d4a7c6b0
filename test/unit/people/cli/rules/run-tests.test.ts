import { describe, expect, it } from "vitest";
import { testNow, toTestRecord } from "../../../../../src/people/cli/rules/run-tests.ts";
import type { DrainConfig } from "../../../../../src/job/contracts/drains-document.ts";
import { loaded, resultsOf } from "../../../../support/drains-documents.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const documentOf = (drain: string) =>
  `version: 1\nsources: { a: {} }\ndrains:\n  d:\n${drain.replaceAll(/^(?=.)/gm, "    ")}\n`;

/** The record of the only test of a drain. */
function recordOf(given: string, more = "") {
  const text = documentOf(`${more}tests: [{ name: t, given: ${given}, expect: { then: hold } }]`);
  const drain = loaded(text, "drains.yaml").drains[0] as DrainConfig;
  const [test] = drain.tests;
  if (test === undefined) throw new Error("the document has a test");
  return toTestRecord(test, drain);
}

/** What a test of one republishing rule does not meet. */
function unmet(given: string, expected: string, set = "") {
  const rule = `{ name: r, when: any, then: republish${set === "" ? "" : `, set: ${set}`} }`;
  const text = documentOf(`rules: [${rule}]\ntests: [{ name: t, given: ${given}, expect: ${expected} }]`);
  return resultsOf(text, "drains.yaml")[0]?.unmet;
}

describe("the record of a test", () => {
  it("is plain where nothing is said: an hour old, created a minute before", () => {
    const { raw, now, view } = recordOf("{}");
    expect(now).toBe(testNow);
    expect(view).toEqual({ state: "absent" });
    expect(raw).toMatchObject({ dlqId: `${now - hourMs}-0`, createdAt: now - hourMs - minuteMs });
  });

  it("is as old as the drain asks for before it republishes", () => {
    expect(recordOf("{}", "minAge: 3h\n").raw["dlqId"]).toBe(`${testNow - 3 * hourMs}-0`);
    expect(recordOf("{ attempt: 3 }").raw["dlqId"]).toBe(`${testNow - 4 * hourMs}-0`);
  });

  it("is no older than its message", () => {
    const { raw, now } = recordOf("{ messageAge: 10m }");
    expect(raw).toMatchObject({ dlqId: `${now - 10 * minuteMs}-0`, createdAt: now - 10 * minuteMs });
    expect(recordOf("{ age: 1h, messageAge: 3d }").raw).toMatchObject({
      dlqId: `${testNow - hourMs}-0`,
      createdAt: testNow - 72 * hourMs,
    });
  });

  it("takes the clock along when it says when it was created or entered", () => {
    expect(recordOf("{ createdAt: 1725323600000, age: 2h }")).toMatchObject({
      now: 1_725_323_600_000 + minuteMs + 2 * hourMs,
      raw: { dlqId: `${1_725_323_600_000 + minuteMs}-0` },
    });
    expect(recordOf("{ dlqId: 1725323658779-4 }")).toMatchObject({
      now: 1_725_323_658_779 + hourMs,
      raw: { dlqId: "1725323658779-4", createdAt: 1_725_323_658_779 - minuteMs },
    });
  });

  it("has what select asks for, unless the test says otherwise", () => {
    const select =
      "select: { topicName: [a, b], label: [x], responseStatus: [503, 0], callerIp: 10.0.0.1, flowControlKey: k }\n";
    expect(recordOf("{ topicName: b }", select).raw).toMatchObject({
      topicName: "b",
      labels: ["x"],
      responseStatus: 503,
      callerIP: "10.0.0.1",
      flowControlKey: "k",
    });
  });

  it("counts its attempts as the ledger does", () => {
    expect(recordOf("{ attempt: 2 }").view).toMatchObject({ state: "cool", attempt: 2, released: false });
  });
});

describe("what a test expects", () => {
  it.each([
    ["a header of the delivery, in any case", "{ header: { X-A: b } }", "{ headers: { x-a: b } }"],
    ["a header of the item", "{}", "{ headers: { upstash-retries: '3' } }"],
    ["that a header is not there", "{}", "{ headers: { X-A: null } }"],
    ["a body by its value, not by its spaces", "{ body: '{ \"a\": [1] }' }", "{ body: { a: [1] } }"],
    ["a body as text", "{ body: plain }", "{ body: plain }"],
    ["no body", "{}", "{ body: '' }"],
    ["no queue", "{}", "{ queue: null }"],
  ])("can be %s", (_name, given, item) => {
    expect(unmet(given, `{ then: republish, item: ${item} }`)).toEqual([]);
  });

  it.each([
    ["another header", "{ headers: { X-A: c } }", "header X-A", "c", "b"],
    ["a header that is not there", "{ headers: { X-B: c } }", "header X-B", "c", "nothing"],
    ["a value of the body", "{ body: { a: [2] } }", "body /a/0", "2", "1"],
    ["a text in place of JSON", "{ body: text }", "body", '"text"', '{"a":[1]}'],
    ["a queue", "{ queue: q }", "queue", "q", "nothing"],
    [
      "an address",
      "{ destination: 'https://b.example/' }",
      "destination",
      "https://b.example/",
      "https://example.com/",
    ],
  ])("is told apart: %s", (_name, item, what, expected, got) => {
    const given = "{ header: { X-A: b }, body: { a: [1] } }";
    expect(unmet(given, `{ then: republish, item: ${item} }`)).toEqual([{ what, expected, got }]);
  });

  it("are all losses, in any order, and none where there is no item", () => {
    const given = "{ topicName: t, scheduleId: s }";
    expect(unmet(given, "{ then: republish, losses: [schedule-id, group-membership] }")).toEqual([]);
    expect(unmet(given, "{ then: republish, losses: [schedule-id] }")).toEqual([
      { what: "losses", expected: "schedule-id", got: "group-membership, schedule-id" },
    ]);
    expect(unmet("{ bodyBase64: /w== }", "{ then: park, reason: binary-body, losses: [] }")).toEqual([]);
  });

  it("is not the item of a record that is held: that it is held says it", () => {
    expect(unmet("{ age: 1s }", "{ then: republish, item: { queue: q } }")).toEqual([
      { what: "then", expected: "republish", got: "hold" },
    ]);
  });

  it("may be about a record that cannot be read", () => {
    expect(unmet("{ dlqId: nonsense }", "{ then: park, reason: malformed-record, rule: none }")).toEqual([]);
  });

  it("is a record that the drain lists", () => {
    const text = documentOf(
      "select: { topicName: a }\ntests: [{ name: t, given: { topicName: b }, expect: { then: hold } }]",
    );
    expect(resultsOf(text, "drains.yaml")[0]).toMatchObject({ passed: false, unmet: [{ what: "select" }] });
  });
});
