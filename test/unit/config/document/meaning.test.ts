import { describe, expect, it } from "vitest";
import { address, duration, header, moment, number, rule, text, value } from "../../../support/conditions.ts";
import { drainOf, head, load } from "../../../support/loaded-document.ts";

describe("a document of five lines", () => {
  const fiveLines = `${head}drains:
  orders:
    rules: [{ when: { responseStatus: 503 }, then: republish }]`;

  it("is a drain in plan mode with its rules named, and the rest as the schema says", () => {
    const { route, rulesHash, mode, rules } = drainOf(fiveLines);
    const when = number("responseStatus", 503);
    expect({ mode, rules }).toEqual({ mode: "plan", rules: [rule("rule-1", when)] });
    expect(route).toBeTypeOf("function");
    expect(rulesHash).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe("precedence", () => {
  it("is drain over defaults over built-in, mappings key by key, lists replaced", () => {
    const drain = drainOf(`${head}defaults: { mode: live, minAge: 5m, attempts: { max: 9, wait: [1m, 2m] } }
drains: { orders: { minAge: 1m, attempts: { wait: 3m } } }`);
    expect(drain.mode).toBe("live");
    expect(drain.minAgeMs).toBe(60_000);
    expect(drain.attempts).toEqual({ max: 9, waitMs: [180_000], then: "park" });
  });

  it.each([
    ["{ every: 1m }", "{ full: 2h }", { kind: "every", everyMs: 60_000 }, 7_200_000],
    ["{ full: 2h }", "{ every: 100ms }", { kind: "every", everyMs: 100 }, 7_200_000],
    ["{ every: 1m }", "{ cron: '0 * * * *' }", { kind: "cron", pattern: "0 * * * *" }, 1_800_000],
    ["{ cron: '0 * * * *', timezone: UTC }", "{ every: 1m }", { kind: "every", everyMs: 60_000 }, 1_800_000],
    [
      "{ cron: '0 * * * *', timezone: UTC }",
      "{ timezone: Europe/Berlin }",
      { kind: "cron", pattern: "0 * * * *", timezone: "Europe/Berlin" },
      1_800_000,
    ],
  ])("of schedules: %s under %s", (defaults, own, schedule, fullEveryMs) => {
    const drain = drainOf(
      `${head}defaults: { schedule: ${defaults} }\ndrains: { orders: { schedule: ${own} } }`,
    );
    expect(drain.schedule).toEqual(schedule);
    expect(drain.fullEveryMs).toBe(fullEveryMs);
  });

  it("of pauses: the document's holds for every drain", () => {
    const drains =
      "drains: { a: { select: { topicName: a } }, b: { paused: true, select: { topicName: b } } }";
    expect(load(`${head}${drains}`).document.drains.map((drain) => drain.paused)).toEqual([false, true]);
    expect(load(`${head}paused: true\n${drains}`).document.drains.map((drain) => drain.paused)).toEqual([
      true,
      true,
    ]);
  });
});

const ruleOf = (rule: string) => drainOf(`${head}drains:\n  orders:\n    rules:\n      - ${rule}`).rules[0];

describe("a rule", () => {
  it("reads keys of when as and, lists as or, and nests", () => {
    expect(
      ruleOf(
        "{ when: { responseStatus: [429, none], host: '*.a', not: { any: [{ header: { X-A: b } }, { age: '> 1h' }] } }, then: hold }",
      )?.when,
    ).toEqual({
      kind: "all",
      of: [
        number("responseStatus", [429, "none"]),
        text("host", "*.a"),
        { kind: "not", of: { kind: "some", of: [header("X-A", "b"), duration("age", "> 1h")] } },
      ],
    });
  });

  it("asks for every field of a record and for what is derived from it", () => {
    expect(
      ruleOf(`when:
          callerIP: 10.0.0.0/8
          labels: [a, { regex: "^b" }]
          responseHeader: { Retry-After: { exists: true } }
          body: { /tenant: acme, /n: { range: 3-7 } }
          responseBody: "*timeout*"
          createdAt: "< 2026-11-01"
          timeLeft: "< 6h"
          size: { exists: true }
        then: hold`)?.when,
    ).toEqual({
      kind: "all",
      of: [
        number("size", { exists: true }),
        moment("createdAt", "< 2026-11-01"),
        duration("timeLeft", "< 6h"),
        text("label", ["a", { regex: "^b" }]),
        address("10.0.0.0/8"),
        header("Retry-After", { exists: true }, "response"),
        text("responseBody", "*timeout*"),
        value("body", "/tenant", "acme"),
        value("body", "/n", { range: "3-7" }),
      ],
    });
  });

  it("sets everything that an item can say", () => {
    const all = ruleOf(`when: any
        then: republish
        limit: 600/m
        set:
          destination: https://b.example/c?k=1
          queue: null
          method: put
          body: { patch: [{ op: test, path: /v, value: 1 }, { op: move, from: /a, path: /b }, { op: remove, path: /c }] }
          delay: 90s
          retryDelay: "1000 * (1 + retried)"
          timeout: 30s
          callback: https://u:p@b.example/done
          failureCallback: null
          labels: [x, y, x]
          flowControl: { key: redriven, parallelism: 2, rate: 5, period: 1m }`);
    expect(all).toEqual({
      name: "rule-1",
      when: { kind: "any" },
      then: "republish",
      limit: { count: 600, perMs: 60_000 },
      set: {
        destination: "https://b.example/c?k=1",
        queue: null,
        method: "PUT",
        body: {
          kind: "patch",
          operations: [
            { op: "test", path: "/v", value: 1 },
            { op: "move", from: "/a", path: "/b" },
            { op: "remove", path: "/c" },
          ],
        },
        delay: { kind: "fixed", ms: 90_000 },
        retryDelay: "1000 * (1 + retried)",
        timeoutMs: 30_000,
        callback: "https://u:p@b.example/done",
        failureCallback: null,
        labels: ["x", "y"],
        flowControl: { key: "redriven", parallelism: 2, rate: 5, periodMs: 60_000 },
      },
    });
    expect(
      ruleOf(
        "{ when: any, then: republish, set: { flowControl: null, labels: z, body: { merge: { a: { b: null } } } } }",
      )?.set,
    ).toEqual({
      flowControl: null,
      labels: ["z"],
      body: { kind: "merge", value: { a: { b: null } } },
    });
  });
});

describe("a source", () => {
  it("keeps its id over a rename and its address without the paths of its API", () => {
    const { sources } = load(
      "version: 1\nsources: { eu: { id: old, url: https://a.example/x/v2/publish/, token: { env: T } }, us: }\ndrains: {}",
    ).document;
    const spans = { retentionMs: 259_200_000, dedupWindowMs: 600_000, censusEveryMs: 900_000 };
    const token = { kind: "env", name: "T" };
    expect(sources).toEqual([
      { id: "old", name: "eu", isIdWritten: true, url: "https://a.example/x", token, ...spans },
      { id: "us", name: "us", token: { kind: "settings" }, ...spans },
    ]);
  });
});
