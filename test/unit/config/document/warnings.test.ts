import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { silentSources } from "../../../../src/config/document/silent-sources.ts";
import { formatProblem } from "../../../../src/config/problem.ts";
import { head, load, withDrain } from "../../../support/loaded-document.ts";

const two = (one: string, other: string) =>
  load(`${head}drains: { a: { select: ${one} }, b: { select: ${other} } }`).warnings;

describe("warnings", () => {
  it("tell of drains of one source that may select the same records", () => {
    expect(two("{ topicName: [x, y] }", "{ topicName: [y, z] }")).toEqual([
      expect.stringMatching(/^drains\.yaml:3:49 drains\.b: may select the same records as a/),
    ]);
    expect(two("{ topicName: x }", "{ queueName: z }")).toHaveLength(1);
    // A message may have both.
    expect(two("{ label: x }", "{ label: y }")).toHaveLength(1);
  });

  it("stay silent where no record fits both", () => {
    expect(two("{ topicName: x, label: l }", "{ topicName: [y, z], label: l }")).toEqual([]);
    expect(two("{ topicName: x }", "{ not: { topicName: [x, y] } }")).toEqual([]);
    expect(two("{ topicName: [x, z] }", "{ not: { topicName: [x, y] } }")).toHaveLength(1);
    expect(two("{ topicName: x }", "{ not: { topicName: x, label: z } }")).toHaveLength(1);
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
      'drains.yaml:8:9 drains.orders.rules[2]: is never asked: rule "rule-2" above it matches every record',
    ]);
    expect(load(text, Date.UTC(2026, 11, 2)).warnings[0]).toMatch(
      /^drains\.yaml:6:42 .*2026-12-01T23:59:59\.999Z has passed$/,
    );
    expect(load(text, Date.UTC(2026, 11, 1, 12)).warnings).toHaveLength(1);
  });
});

const withRules = (rules: readonly string[], more = ""): string =>
  withDrain("mode: plan", more, "rules:", ...rules.map((rule) => `  - ${rule}`));
const rulesWarned = (rules: readonly string[], more?: string) => load(withRules(rules, more)).warnings;

const until = (date: string) => `{ when: { host: a }, then: hold, ignoreAfter: ${date} }`;

describe("warnings about rules", () => {
  it.each([
    ["the same words", "{ responseStatus: 503 }", "{ responseStatus: 503 }"],
    ["another order of a list", "{ topicName: [a, b] }", "{ topicName: [b, a] }"],
    ["other words for the same", "{ age: '> 1h' }", "{ all: [{ age: '> 60m' }] }"],
  ])("report a rule whose condition an earlier one has: %s", (_name, above, below) => {
    expect(rulesWarned([`{ when: ${above}, then: hold }`, `{ when: ${below}, then: park }`])).toEqual([
      'drains.yaml:9:9 drains.orders.rules[1]: never decides: rule "rule-1" above it has the same condition',
    ]);
  });

  it.each([
    ["{ responseStatus: 503 }", "{ responseStatus: 503-504 }"],
    ["{ not: { host: a } }", "{ host: a }"],
  ])("are silent if the condition is another one: %s above %s", (above, below) => {
    expect(rulesWarned([`{ when: ${above}, then: hold }`, `{ when: ${below}, then: park }`])).toEqual([]);
  });

  it("go by how long the rule above is asked", () => {
    const asked = "{ when: { host: a }, then: park }";
    expect(rulesWarned([until("2030-01-01"), asked])).toEqual([]);
    expect(rulesWarned([until("2031-01-01"), until("2030-01-01")])).toHaveLength(1);
    // Of two above it the one that lasts counts.
    expect(rulesWarned([until("2030-01-01"), asked, asked])).toEqual([
      expect.stringContaining('rules[2]: never decides: rule "rule-2"'),
    ]);
  });

  it("tell of a drop that a live drain would refuse, and of a copy that has no place", () => {
    expect(rulesWarned(["{ when: any, then: drop }"])).toEqual([
      expect.stringContaining("drains.orders.rules[0].then: will be refused in a live drain"),
    ]);
    expect(load(`${head}defaults: { beforeExpiry: { then: archive } }\ndrains: {}`).warnings).toEqual([
      "drains.yaml:3:29 defaults.beforeExpiry.then: copies nothing: the document has no archive",
    ]);
    const kept = "archive: { dir: /a }\n";
    expect(
      load(
        `${kept}${head}drains: { a: { beforeExpiry: { then: archive }, rules: [{ when: any, then: drop }] } }`,
      ).warnings,
    ).toEqual([]);
  });
});

it("a list is warned of if some of it can never match", () => {
  expect(rulesWarned(["{ when: { host: [a.example, 'http://b.example'] }, then: hold }"])).toEqual([
    expect.stringContaining('when.host: matches less than it says: got "http://b.example", but a host'),
  ]);
});

const both = (text: string): readonly string[] => {
  const outcome = loadDocument(text, "drains.yaml", { now: Date.UTC(2026, 0, 1) });
  if (outcome.ok) throw new Error("the test's document has no problem");
  return outcome.warnings.map(formatProblem);
};
const inRules = (rules: readonly string[], more = "") => both(withRules(rules, more));

describe("warnings beside problems", () => {
  it("are the ones that the document has without its problems", () => {
    const rules = [
      "{ when: { host: a }, then: hold, ignoreAfter: 2025-01-01 }",
      "{ when: { host: [a, b/c] }, then: hold }",
      "{ when: { responseStatus: 5xx }, then: park }",
      "{ when: { responseStatus: 5xx }, then: hold }",
      "{ when: { topicName: y }, then: drop }",
    ];
    const select = "select: { topicName: y }";
    const found = load(withRules(rules, select), Date.UTC(2026, 0, 1)).warnings;
    expect(found).toHaveLength(4);
    expect(inRules([...rules, "{ when: { hots: a }, then: hold }"], select)).toEqual(found);
    // And what is readable of a condition.
    expect(inRules(["{ when: { responseStatus: 5xy, host: [a, b/c] }, then: hold }"])).toEqual([
      expect.stringContaining("rules[0].when.host: matches less than it says"),
    ]);
  });

  it("are not made of what the problems leave open", () => {
    const hidden = "{ when: { host: b }, then: park }";
    // What the rule above would hold for, had it been written as it was meant, nobody knows.
    expect(inRules(["{ whn: { host: a }, then: hold }", hidden])).toEqual([]);
    expect(inRules(["{ when: any, then: hold, ignoreAfter: some day }", hidden])).toEqual([]);
    expect(
      both(`${head}drains: { a: { selct: { topicName: a } }, b: { select: { topicName: b } } }`),
    ).toEqual([]);
    expect(both(`${head}archiv: { dir: /a }\ndrains: { a: { rules: [{ when: any, then: drop }] } }`)).toEqual(
      [],
    );
    expect(both(`${head}drains: { a: { mode: live, rules: [{ when: any, then: drop }] } }`)).toEqual([]);
  });
});

const setting = (name: string, set: string) =>
  `{ name: ${name}, when: any, then: republish, set: { ${set} } }`;

describe("warnings about come-backs", () => {
  const republish = "{ name: again, when: { responseStatus: 5xx }, then: republish }";
  const moved =
    "{ name: moved, when: { host: a.example }, then: republish, set: { destination: { host: b.example } } }";

  it.each([
    ["topicName: orders", "topicName", "it keeps no topicName: it goes to the one endpoint that failed"],
    ["callerIp: 10.0.0.1", "callerIp", "its callerIp is redriver's own"],
  ])("tell of a select that no redrive keeps: %s", (select, key, why) => {
    expect(rulesWarned([republish], `select: { ${select} }`)).toEqual([
      `drains.yaml:6:15 drains.orders.select.${key}: what fails again after its redrive is not listed any more (${why}), so attempts, waits and parking never apply to it; expected url, queueName, label or flowControlKey as no rule changes them, or no select and rules that ask for host, or a second drain without select for the rest`,
    ]);
  });

  const key = "a flow control key that is";
  it.each([
    ["url: 'https://a.example/x'", moved, "moved", "a destination that is"],
    ["queueName: q", setting("off", "queue: null"), "off", "a queue that is"],
    ["label: l", setting("tag", "labels: [redriven]"), "tag", "labels that are"],
    ["flowControlKey: k", setting("slow", "flowControl: { key: o, rate: 1 }"), "slow", key],
  ])("tell of a select that a rule changes: %s, %s", (select, rule, name, sets) => {
    const why = `(rule "${name}" sets ${sets} not among these)`;
    expect(rulesWarned([rule], `select: { ${select} }`)).toEqual([expect.stringContaining(why)]);
    const own = "select: { flowControlKey: k }\n    flowControl: { key: other, parallelism: 5 }";
    const ownWhy = "(the drain's flowControl has a key that is not among these)";
    expect(rulesWarned([republish], own)).toEqual([expect.stringContaining(ownWhy)]);
  });

  it.each([
    ["select: { topicName: orders }", "{ when: any, then: park }"],
    ["select: { url: ['https://a.example/x', 'https://b.example/x'] }", moved],
    ["select: { queueName: [p, q] }", setting("same", "queue: p")],
    ["select: { flowControlKey: k }\n    flowControl: { key: k, parallelism: 5 }", republish],
    ["", republish],
  ])("are silent where they are listed again: %s, %s", (select, rule) => {
    expect(rulesWarned([rule], select)).toEqual([]);
  });

  it("are silent where another drain of the source lists everything, and tell of others", () => {
    const orders = `orders: { source: eu, select: { topicName: orders }, rules: [{ when: any, then: republish }] }`;
    const told = (rest: string) =>
      load(
        `version: 1\nsources: { eu: { url: http://a }, us: { url: http://b } }\ndrains: { ${orders}, ${rest} }`,
      ).warnings.filter((warning) => warning.includes("after its redrive"));
    expect(told("rest: { source: eu }")).toEqual([]);
    expect(told("rest: { source: us }")).toHaveLength(1);
    expect(told("rest: { source: eu, select: { responseStatus: 503 } }")).toHaveLength(1);
  });
});

const noted = (source: string) =>
  silentSources(
    load(
      `version: 1\nsources: { default: { ${source} } }\ndrains: { a: { mode: live, rules: [{ when: any, then: republish }] } }`,
    ).document,
  ).map(({ name }) => name);

describe("the note about sources whose lanes judge by silence", () => {
  const callbacks = "callbacks: { url: 'https://r.example/c', keys: [{ env: K }] }";
  it("names one with maxParallelism alone too, which sees no messages of others, and none that asks", () => {
    expect(noted("")).toEqual(["default"]);
    expect(noted("maxParallelism: 10")).toEqual(["default"]);
    for (const source of [callbacks, "watchDeliveries: true"]) expect(noted(source)).toEqual([]);
  });
});
