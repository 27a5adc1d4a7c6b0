import { describe, expect, it } from "vitest";
import { describeDocument } from "../../src/config/document/describe-document.ts";
import { loadDocument, readDocumentFile } from "../../src/config/document/load-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import type { DrainConfig, DrainsDocument } from "../../src/ports/drains.ts";

const load = (text: string, now?: number): { document: DrainsDocument; warnings: string[] } => {
  const outcome = loadDocument(text, "drains.yaml", now === undefined ? {} : { now });
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return { document: outcome.document, warnings: outcome.warnings.map(formatProblem) };
};

const head = "version: 1\nsources: { default: {} }\n";
const drainOf = (text: string, name = "orders"): DrainConfig => {
  const drain = load(text).document.drains.find((candidate) => candidate.name === name);
  if (drain === undefined) throw new Error(`no drain ${name}`);
  return drain;
};

describe("a document of five lines", () => {
  const text = `${head}drains:
  orders:
    rules: [{ when: { responseStatus: 503 }, then: republish }]`;

  it("has every default filled in", () => {
    const { route, rulesHash, ...drain } = drainOf(text);
    expect(drain).toEqual({
      name: "orders",
      source: {
        id: "default",
        name: "default",
        token: { kind: "settings" },
        retentionMs: 259_200_000,
        dedupWindowMs: 600_000,
      },
      mode: "plan",
      paused: false,
      schedule: { kind: "every", everyMs: 30_000 },
      fullEveryMs: 1_800_000,
      minAgeMs: 120_000,
      attempts: { max: 5, waitMs: [120_000, 600_000, 3_600_000, 14_400_000], then: "park" },
      unknownOutcome: "republish",
      otherwise: "hold",
      select: {},
      rules: [
        {
          name: "rule-1",
          when: { kind: "number", field: "responseStatus", oneOf: [{ kind: "range", from: 503, to: 503 }] },
          then: "republish",
        },
      ],
    });
    expect(route).toBeTypeOf("function");
    expect(rulesHash).toMatch(/^[0-9a-f]{12}$/);
  });

  it("loads without a warning", () => {
    expect(load(text).warnings).toEqual([]);
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
        {
          kind: "number",
          field: "responseStatus",
          oneOf: [{ kind: "range", from: 429, to: 429 }, { kind: "none" }],
        },
        { kind: "text", field: "host", oneOf: [{ kind: "glob", pattern: "*.a" }] },
        {
          kind: "not",
          of: {
            kind: "some",
            of: [
              { kind: "header", name: "X-A", oneOf: [{ kind: "exact", value: "b" }] },
              {
                kind: "duration",
                field: "age",
                oneOf: [{ kind: "range", from: 3_600_001, to: Number.POSITIVE_INFINITY }],
              },
            ],
          },
        },
      ],
    });
  });

  it("keeps every change it sets", () => {
    expect(
      ruleOf(`when: any
        then: republish
        ignoreAfter: 2026-12-01T00:00:00Z
        set: { destination: { host: b:8080 }, headers: { X-A: "1", X-B: null }, delay: { spread: 10m }, retries: 0 }`),
    ).toEqual({
      name: "rule-1",
      when: { kind: "any" },
      then: "republish",
      ignoreAfter: Date.UTC(2026, 11, 1),
      set: {
        destination: { host: "b:8080" },
        headers: { "X-A": "1", "X-B": null },
        delay: { kind: "spread", ms: 600_000 },
        retries: 0,
      },
    });
  });
});

describe("a source", () => {
  it("keeps its id over a rename and its address without the paths of its API", () => {
    const { sources } = load(
      "version: 1\nsources: { eu: { id: old, url: https://a.example/x/v2/publish/, token: { env: T } }, us: }\ndrains: {}",
    ).document;
    expect(sources).toEqual([
      {
        id: "old",
        name: "eu",
        url: "https://a.example/x",
        token: { kind: "env", name: "T" },
        retentionMs: 259_200_000,
        dedupWindowMs: 600_000,
      },
      { id: "us", name: "us", token: { kind: "settings" }, retentionMs: 259_200_000, dedupWindowMs: 600_000 },
    ]);
  });
});

describe("hashes", () => {
  const base = `${head}drains: { orders: { select: { topicName: [a, b] }, rules: [{ name: x, when: { host: [p, q], age: "< 5m" }, then: hold }] } }`;

  it("stay when only words, order of names or spelled-out defaults change", () => {
    const same = `# comment
drains:
  orders:
    rules:
      - { then: hold, when: { age: "<= 299999ms", host: [q, p] }, name: x }
    select: { topicName: [b, a, a] }
    minAge: 120s
sources: { default: { id: default, retention: 72h } }
version: 1`;
    expect(load(same).document.hash).toBe(load(base).document.hash);
    expect(drainOf(same).rulesHash).toBe(drainOf(base).rulesHash);
  });

  it.each([
    ['age: "< 5m"', 'age: "> 5m"', true],
    ["then: hold", "then: park", true],
    ["name: x", "name: y", true],
    ["select:", "minAge: 1m, select:", true],
    ["select:", "attempts: { max: 1 }, select:", true],
    ["[a, b]", "[a]", false],
    ["select:", "mode: live, select:", false],
    ["select:", "schedule: { full: 1h }, select:", false],
    ["select:", "paused: true, select:", false],
  ])("change from %s to %s; the rules' hash: %s", (from, to, rulesToo) => {
    const changed = base.replace(from, to);
    expect(load(changed).document.hash).not.toBe(load(base).document.hash);
    expect(drainOf(changed).rulesHash !== drainOf(base).rulesHash).toBe(rulesToo);
  });

  it("tell an open end upwards from one downwards", () => {
    const [upwards, downwards] = [">= 1ms", "<= 1ms"].map(
      (age) => drainOf(base.replace("< 5m", age)).rulesHash,
    );
    expect(upwards).not.toBe(downwards);
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

const two = (one: string, other: string) =>
  load(`${head}drains: { a: { select: ${one} }, b: { select: ${other} } }`).warnings;

describe("warnings", () => {
  it("tell of drains of one source that may select the same records", () => {
    expect(two("{ topicName: [x, y] }", "{ topicName: [y, z] }")).toEqual([
      expect.stringMatching(/^drains\.yaml:3:49 drains\.b: may select the same records as a/),
    ]);
    expect(two("{}", "{ topicName: z }")).toHaveLength(1);
    expect(two("{ topicName: x }", "{ queueName: z }")).toHaveLength(1);
  });

  it("take two labels for no proof: a message may have both", () => {
    expect(two("{ label: x }", "{ label: y }")).toHaveLength(1);
  });

  it("stay silent where no record fits both", () => {
    expect(two("{ topicName: x, label: l }", "{ topicName: [y, z], label: l }")).toEqual([]);
    expect(two("{ responseStatus: 503 }", "{ responseStatus: [500, 502] }")).toEqual([]);
    const sources = "version: 1\nsources: { eu: { url: http://a }, us: { url: http://b } }\n";
    expect(load(`${sources}drains: { a: { source: eu }, b: { source: us } }`).warnings).toEqual([]);
  });

  it("tell of rules that are never asked, and of dates that have passed", () => {
    const text = `${head}drains:
  orders:
    rules:
      - { when: { host: a }, then: hold, ignoreAfter: 2026-12-01 }
      - { when: any, then: hold }
      - { when: { host: b }, then: park }`;
    expect(load(text).warnings).toEqual([
      'drains.yaml:8:9 drains.orders.rules[2]: is never asked: rule "rule-2" above it holds for every record',
    ]);
    expect(load(text, Date.UTC(2026, 11, 2)).warnings[0]).toMatch(
      /^drains\.yaml:6:42 .*2026-12-01T23:59:59\.999Z has passed$/,
    );
    expect(load(text, Date.UTC(2026, 11, 1, 12)).warnings).toHaveLength(1);
  });
});

describe("the documents that are shipped", () => {
  it.each(["config/drains.yaml", "config/drains.example.yaml"])("%s loads without a warning", (file) => {
    const outcome = readDocumentFile(file);
    expect(outcome).toMatchObject({ ok: true, warnings: [] });
    expect(outcome.ok && outcome.document.drains.every((drain) => drain.mode === "plan")).toBe(true);
  });
});

describe("config show of a document", () => {
  it("loads again and means the same", () => {
    const text = `version: 1
paused: true
sources: { eu: { url: https://a, token: { file: /f }, dedupWindow: 90m }, us: { token: { env: T } } }
drains:
  a:
    source: eu
    mode: live
    schedule: { cron: "*/5 * * * *", timezone: Europe/Berlin }
    select: { topicName: [x], responseStatus: [503, 504] }
    attempts: { max: 2, wait: 1500ms, then: hold }
    rules:
      - when: { responseStatus: ["< 3", "> 5", 7-9, none, ">= 0"], age: ["> 5m", 1h-2h, "<= 90s"], attempt: 2 }
        then: park
      - when: { all: [{ host: a }, { host: ["b", none] }], any: [{ path: "/*" }, { label: "5" }] }
        then: republish
        set: { destination: https://b/c, queue: q, retries: 3, headers: { X-Gone: null } }
      - { when: { not: { header: { X-A: none } } }, then: republish, set: { delay: 90s, destination: { scheme: http } }, ignoreAfter: 2027-01-01 }
      - { when: any, then: hold }
  b: { source: us, otherwise: park, unknownOutcome: park }
indexes: { i: { id: x, credentials: { user: { env: U }, password: { file: /p } }, period: 7d } }`;
    const { document } = load(text);
    const shown = describeDocument(document);
    expect(load(shown).document.hash).toBe(document.hash);
    expect(shown).toContain('age:\n            - "> 5m"');
  });

  it("shows no header value and no query, and does not load where one was hidden", () => {
    const { document } = load(`${head}drains:
  orders:
    select: { url: "https://a/b?key=hunter1" }
    rules:
      - when: { header: { Authorization: "Bearer hunter2" }, url: "https://a/?k=hunter3*" }
        then: republish
        set: { headers: { X-Key: hunter4 }, destination: "https://b/?k=hunter5" }`);
    const shown = describeDocument(document);
    expect(shown).not.toContain("hunter");
    expect(shown.match(/\[set\]/g)).toHaveLength(5);
    expect(loadDocument(shown, "shown.yaml").ok).toBe(false);
  });
});
