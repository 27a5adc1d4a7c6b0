import { describe, expect, it } from "vitest";
import { loadDocument } from "../../src/config/document/load-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import type { DrainsDocument } from "../../src/ports/drains.ts";

const load = (text: string, now?: number): { document: DrainsDocument; warnings: string[] } => {
  const outcome = loadDocument(text, "drains.yaml", now === undefined ? {} : { now });
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return { document: outcome.document, warnings: outcome.warnings.map(formatProblem) };
};

const head = "version: 1\nsources: { default: {} }\n";

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

const rulesWarned = (rules: readonly string[], more = "") =>
  load(
    `${head}drains:\n  orders:\n    mode: plan\n    ${more}\n    rules:\n${rules.map((rule) => `      - ${rule}`).join("\n")}`,
  ).warnings;

describe("warnings about rules", () => {
  it.each([
    ["the same", "{ responseStatus: 503 }", "{ responseStatus: 503 }"],
    ["a range", "{ responseStatus: 500-599 }", "{ responseStatus: [503, 504] }"],
    ["ranges that touch", "{ responseStatus: [500-502, 503-599] }", "{ responseStatus: 502-504 }"],
    ["a list", "{ topicName: [a, b, c] }", "{ topicName: [c, a] }"],
    ["a prefix", "{ path: { prefix: /a } }", "{ path: /a/b }"],
    ["a longer prefix", "{ path: { prefix: /a } }", "{ path: { prefix: /ab } }"],
    ["a glob's prefix", "{ path: /a* }", "{ path: /ab* }"],
    ["a glob", "{ host: '*.example.com' }", "{ host: [API.example.com, '*.eu.example.com'] }"],
    ["whatever is there", "{ topicName: { exists: true } }", "{ topicName: a }"],
    ["a star", "{ topicName: '*' }", "{ topicName: { regex: '^a' } }"],
    ["fewer tests", "{ host: a.example }", "{ host: a.example, responseStatus: 503 }"],
    ["a test among alternatives", "{ any: [{ host: a }, { host: b }] }", "{ host: b, attempt: 1 }"],
    ["a network", "{ callerIp: 10.0.0.0/8 }", "{ callerIp: 10.1.0.0/16 }"],
    ["a value", "{ body: { /n: '< 5' } }", "{ body: { /n: [1, '< 3'] } }"],
    ["an age", "{ age: '> 1h' }", "{ age: '> 2h', host: a }"],
    ["a header in another case", "{ header: { X-A: a } }", "{ header: { x-a: a } }"],
  ])("tell of a rule that %s above it hides", (_name, above, below) => {
    expect(rulesWarned([`{ when: ${above}, then: hold }`, `{ when: ${below}, then: park }`])).toEqual([
      'drains.yaml:9:9 drains.orders.rules[1]: never decides: rule "rule-1" above it holds for every record that this one does',
    ]);
    expect(
      rulesWarned([
        `{ when: ${above}, then: hold, ignoreAfter: 2030-01-01 }`,
        `{ when: ${below}, then: park }`,
      ]),
    ).toEqual([]);
  });

  it.each([
    ["{ responseStatus: 503 }", "{ responseStatus: 503-504 }"],
    ["{ responseStatus: [500-501, 503-599] }", "{ responseStatus: 500-503 }"],
    ["{ host: a.example, responseStatus: 503 }", "{ host: a.example }"],
    ["{ path: { prefix: /ab } }", "{ path: { prefix: /a } }"],
    ["{ path: /a*b }", "{ path: /a* }"],
    ["{ host: { regex: ex } }", "{ host: { prefix: ex } }"],
    ["{ not: { host: a } }", "{ host: b }"],
    ["{ topicName: { exists: true } }", "{ topicName: [a, none] }"],
    ["{ header: { X-A: a } }", "{ responseHeader: { X-A: a } }"],
    ["{ body: { /n: '< 5' } }", "{ body: { /n: '<= 5' } }"],
    ["{ callerIp: 10.0.0.0/16 }", "{ callerIp: 10.0.0.0/8 }"],
  ])("are silent where the other rule decides some: %s above %s", (above, below) => {
    expect(rulesWarned([`{ when: ${above}, then: hold }`, `{ when: ${below}, then: park }`])).toEqual([]);
  });

  it.each([
    ["select: { responseStatus: [500, 503] }", "{ responseStatus: 4xx }"],
    ["select: { responseStatus: 503 }", "{ responseStatus: none }"],
    ["select: { topicName: [a, b] }", "{ topicName: [c, 'd*'], host: x }"],
    ["select: { topicName: a }", "{ topicName: none }"],
    ["select: { url: 'https://a.example/x' }", "{ host: b.example }"],
    ["select: { url: 'https://a.example/x' }", "{ any: [{ path: /y }, { url: z }] }"],
    ["select: { callerIp: 10.0.0.1 }", "{ callerIp: 192.168.0.0/16 }"],
    ["select: { label: a }", "{ label: none }"],
    ["select: { messageId: m1 }", "{ messageId: m2 }"],
  ])("tell of a rule that nothing selected fits: %s, %s", (select, when) => {
    expect(rulesWarned([`{ when: ${when}, then: hold }`], select)).toEqual([
      expect.stringMatching(
        /^drains\.yaml:8:11 drains\.orders\.rules\[0\]\.when: can never hold: no record that select lists/,
      ),
    ]);
  });

  it.each([
    ["select: { responseStatus: 0 }", "{ responseStatus: none }"],
    ["select: { responseStatus: [500, 404] }", "{ responseStatus: 4xx }"],
    ["select: { label: a }", "{ label: b }"],
    ["select: { topicName: a }", "{ topicName: 'a*' }"],
    ["select: { topicName: a }", "{ queueName: b }"],
    ["select: { url: 'https://A.example/x' }", "{ host: a.example, path: /x }"],
    ["select: { url: 'not an address' }", "{ host: a.example }"],
    ["select: { callerIp: 10.0.0.1 }", "{ callerIp: 10.0.0.0/8 }"],
    ["select: { topicName: a }", "{ not: { topicName: a } }"],
  ])("are silent where something selected may fit: %s, %s", (select, when) => {
    expect(rulesWarned([`{ when: ${when}, then: hold }`], select)).toEqual([]);
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
