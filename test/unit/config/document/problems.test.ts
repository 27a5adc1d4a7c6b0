import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { formatProblem } from "../../../../src/config/problem.ts";
import { problemsOf, withDrain } from "../../../support/loaded-document.ts";

/** A document with one rule whose lines are given; the first stands in line 6 at column 9. */
const rule = (...lines: string[]): string =>
  withDrain("rules:", ...lines.map((line, index) => `  ${index === 0 ? "- " : "  "}${line}`));

function many(count: number, member: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => member(index)).join(", ");
}

describe("a document with mistakes", () => {
  it("is told all of them at once, each with its place", () => {
    const text = `version: 1
sources:
  eu: { retention: 3 days }
drains:
  orders:
    source: us
    rules:
      - name: outage
        when: { responseStatus: 503, typ: x }
        then: republish
      - name: outage
        then: retry
      - when: { responseStatus: [429, 5zz] }
        then: hold
`;
    expect(problemsOf(text)).toEqual([
      'drains.yaml:3:20 sources.eu.retention: expected a duration in ms, s, m, h or d, such as 30s, 2m, 1h30m or 3d, got "3 days"',
      'drains.yaml:6:13 drains.orders.source: unknown source "us"; expected eu',
      expect.stringMatching(
        /^drains\.yaml:9:38 drains\.orders\.rules\[0\]\.when: unknown key "typ"; ask header: \{ typ: … \} or body: \{ \/typ: … \}; expected one of responseStatus, responseHeader, /,
      ),
      'drains.yaml:11:15 drains.orders.rules[1].name: expected another name than rules[0] of this drain, got "outage"',
      'drains.yaml:12:15 drains.orders.rules[1].then: expected one of republish, drop, hold, park, got "retry"',
      expect.stringMatching(
        /^drains\.yaml:13:39 drains\.orders\.rules\[2\]\.when\.responseStatus\[1\]: expected a whole number .*, got "5zz"$/,
      ),
    ]);
  });

  it("is told of mistakes of spelling, of shape and of meaning together", () => {
    const text = rule("name: a", "name: b", "then: republish", "set: { queue: q, delay: 30s, color: red }");
    expect(problemsOf(text)).toEqual([
      "drains.yaml:6:9 drains.orders.rules[0]: missing when; expected when beside republish and drop; when: any says it of every record on purpose",
      'drains.yaml:7:9 drains.orders.rules[0]: duplicate key "name"',
      "drains.yaml:9:26 drains.orders.rules[0].set.delay: expected either queue or delay: the service refuses both together",
      expect.stringMatching(
        /^drains\.yaml:9:38 drains\.orders\.rules\[0\]\.set: unknown key "color"; expected /,
      ),
    ]);
  });

  it.each([
    ["when: { status: 503 }", "responseStatus"],
    ["when: { queue: a }", "queueName"],
    ["when: { headers: { A: b } }", "header"],
    ["if: any", "when"],
    ["whn: any", "when"],
  ])("suggests the nearest name, or what goes by another name elsewhere: %s", (line, meant) => {
    expect(problemsOf(rule(line, "then: hold"))[0]).toMatch(
      new RegExp(`unknown key "\\w+"; did you mean "${meant}"\\? expected one of `),
    );
  });

  it("counts lines and columns from one, after comments, in CRLF files and behind a byte order mark", () => {
    const text =
      "\uFEFF# comment\r\nversion: 1\r\nsources: { default: {} }\r\ndrains:\r\n  orders: { mode: fast }\r\n";
    expect(problemsOf(text)).toEqual([
      'drains.yaml:5:19 drains.orders.mode: expected one of plan, live, got "fast"',
    ]);
  });

  it("tells the first twenty problems, and how many more there are", () => {
    const keys = Array.from({ length: 300 }, (_, index) => `k${index}: 1`);
    const problems = problemsOf(withDrain(...keys));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe("drains.yaml: … and 280 more");
  });

  const inList = `rules: [{ when: { responseStatus: [${many(1_001, String)}] }, then: hold }]`;
  const sources = `{ ${many(600, (n) => `s${n}: {}`)} }`;
  const unasked = many(1_100, () => "{ when: any, then: hold }");
  const guards = many(21, () => "{ index: none }");
  const mistaken = `{ ${many(501, (n) => `d${n}: { modus: live }`)} }`;
  it.each([
    ["sources", `version: 1\nsources: ${sources}\ndrains: {}`, "at most 500 sources, got 600"],
    ["drains", `version: 1\nsources: { default: {} }\ndrains: ${mistaken}`, "at most 500 drains, got 501"],
    ["rules", withDrain(`rules: [${unasked}]`), "at most 1000 rules, got 1100"],
    ["values", withDrain(inList), "when.responseStatus: expected at most 1000 values in a list, got 1001"],
    ["guards", withDrain(`guards: [${guards}]`), "drains.orders.guards: expected at most 20 guards, got 21"],
  ])("tells once of too many %s, with their number, and nothing of each", (_what, text, problem) => {
    const outcome = loadDocument(text, "drains.yaml");
    const problems = outcome.ok ? [] : outcome.problems.map(formatProblem);
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^drains\\.yaml:\\d+:\\d+ .*${problem}$`))]);
    expect(outcome.warnings).toEqual([]);
  });

  it("tells of what else is wrong beside too many", () => {
    expect(problemsOf(`version: 2\nsources: ${sources}\ndrains: {}`)).toEqual([
      "drains.yaml:1:10 version: expected 1, got 2",
      "drains.yaml:2:10 sources: expected at most 500 sources, got 600",
    ]);
  });

  const eu = "version: 1\nsources: {eu: {url: http://a}";
  const account = "sources.us: expected another url or token than source eu: one account is one source";
  it.each([
    ["", "1:1: expected a mapping, got nothing"],
    ["- 1", "1:1: expected a mapping, got a list"],
    ["version: 1\ndrains: {}", "1:1 sources: missing; expected a mapping of names to sources"],
    [
      "version: 1\nsources: {}\ndrains: {}",
      "2:10 sources: expected at least one source, such as default: {}",
    ],
    [
      "version: 1\nsources: {Big: {}}\ndrains: {}",
      "2:11 sources.Big: expected a name of a-z, 0-9 and - that",
    ],
    ["version: 1\nsources: {eu: {}, us: {}}\ndrains: {a: {}}", `2:19 ${account}`],
    [`${eu}, us: {url: http://b}}\ndrains: {a: {}}`, "3:10 drains.a: missing source; expected a source, one"],
    [`${eu}, us: {url: http://b, id: eu}}\ndrains: {}`, "2:56 sources.us.id: expected another id than"],
    [`${eu.replace("a}", "a/v2/publish/}")}, us: {url: http://a}}\ndrains: {}`, `2:44 ${account}`],
    ["%YAML 1.1\n---\nversion: 1", "1:1: expected no %YAML directive"],
    ["version: 1\n---\nversion: 1", "2:1: expected valid YAML (Source contains multiple documents)"],
    ["version: 1\nsources: {a: {}", "2:16: expected valid YAML (Flow map in block collection"],
    ["version: !!int 1\nsources: !x {a: {}}\ndrains: {}", "2:10: expected valid YAML (Unresolved tag)"],
  ])("%j", (text, problem) => {
    expect(`\n${problemsOf(text).join("\n")}`).toContain(`\ndrains.yaml:${problem}`);
  });

  const long = "n".repeat(3_000);
  const patch = "patch: [{ op: add, path: /a }]";
  it.each([
    ["empty lists", withDrain("guards: {}"), "got an empty mapping"],
    [
      "a missing value",
      rule("when: any", "then: republish", `set: { body: { ${patch} } }`),
      "missing; expected a value",
    ],
    ["a long name once", rule(`name: ${long}`, "then: hold"), 'got "n{60}…"'],
    [
      "control signs",
      rule(`when: { path: "\\e\u202e${long}" }`, "then: hold"),
      'got "\\\\u001b\\\\u202en{58}…", but .*',
    ],
    [
      "the name of no drain",
      `version: 1\nsources: { default: {} }\ndrains: { none: {} }`,
      "none stands for no drain",
    ],
  ])("says in plain words, once and shortly: %s", (_what, text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(new RegExp(`${problem}$`, "u"))]);
  });

  it("refuses a secret in the document itself, says how, and does not repeat it", () => {
    const [problem, ...others] = problemsOf("version: 1\nsources: { eu: { token: abc123 } }\ndrains: {}");
    expect(problem).toBe(
      "drains.yaml:2:25 sources.eu.token: expected { file: /path/of/a/file } or { env: NAME_OF_A_VARIABLE }; a secret never stands in the document itself",
    );
    expect(others).toEqual([]);
  });
});

describe("keys of a drain", () => {
  it.each([
    ["attempts: { wait: [1m, soon] }", "5:28 drains.orders.attempts.wait[1]"],
    ["otherwise: republish", "5:16 drains.orders.otherwise"],
    ["schedule: { every: 99ms }", "5:24 drains.orders.schedule.every"],
    ["schedule: { every: 1m, cron: '* * * * *' }", "5:28 drains.orders.schedule.cron"],
    ["schedule: { timezone: Europe/Berlin }", "5:17 drains.orders.schedule.timezone"],
    ["schedule: { cron: '* * * * *', timezone: Europe/Berlim }", "5:46 drains.orders.schedule.timezone"],
    ["schedule: { cron: '0 0 31 2 *' }", "5:23 drains.orders.schedule.cron"],
    ["select: { responseStatus: '503' }", "5:31 drains.orders.select.responseStatus"],
    ["select: { responseStatus: [503, 5xx] }", "5:37 drains.orders.select.responseStatus[1]"],
    ["select: { fromDate: 2 days }", "5:25 drains.orders.select.fromDate"],
    ["select: { toDate: 1700000000 }", "5:23 drains.orders.select.toDate"],
    ["select: { fromDate: 2026-11-02, toDate: 2026-11-01 }", "5:45 drains.orders.select.toDate"],
    ["select: { fromDate: -1h, toDate: -2h }", "5:38 drains.orders.select.toDate"],
    ["limits: { perHost: { from: 600/m } }", "5:32 drains.orders.limits.perHost.from"],
    ["limits: { perHost: { from: 9/s, to: 5/s } }", "5:41 drains.orders.limits.perHost.to"],
    ["limits: { perHost: atuo }", "5:24 drains.orders.limits.perHost"],
    ["beforeExpiry: { within: 0s }", "5:29 drains.orders.beforeExpiry.within"],
    ["rules:", "5:5 drains.orders.rules"],
  ])("%s", (line, place) => {
    const problems = problemsOf(withDrain(line));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`drains.yaml:${place}: `);
  });

  it.each(["cursor", "count"])("leave %s to redriver", (key) => {
    expect(problemsOf(withDrain(`select: { ${key}: 1 }`))).toEqual([
      `drains.yaml:5:15 drains.orders.select.${key}: this key is set by redriver itself, for each page`,
    ]);
  });
});

describe("keys of a rule", () => {
  it.each([
    ["when: {}", "6:15 drains.orders.rules[0].when"],
    ["when: { any: [{ responseStatus: 1 }, { host: 5 }] }", "6:54 drains.orders.rules[0].when.any[1].host"],
    ["when: { not: { not: { path: [] } } }", "6:37 drains.orders.rules[0].when.not.not.path"],
    ["when: { header: { 'a b': x } }", '6:27 drains.orders.rules[0].when.header["a b"]'],
    ["set: { retries: 1 }", "6:9 drains.orders.rules[0].set"],
    ["limit: 5/s", "6:9 drains.orders.rules[0].limit"],
    ["name: none", "6:15 drains.orders.rules[0].name"],
    ["when: { host: [a, { regex: '(a+' }] }", "6:36 drains.orders.rules[0].when.host[1].regex"],
    ["when: { body: { /a: 1, b: 2 } }", "6:32 drains.orders.rules[0].when.body.b"],
    ["when: { body: { /a~2: 1 } }", '6:25 drains.orders.rules[0].when.body["/a~2"]'],
    ["when: { body: { /a: 12345678901234567890 } }", '6:29 drains.orders.rules[0].when.body["/a"]'],
  ])("%s", (line, place) => {
    const problems = problemsOf(rule(line, "then: hold"));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`drains.yaml:${place}: `);
  });

  it.each([
    ["{}", "8:14", ""],
    ["{ destination: orders-group }", "8:29", ".destination"],
    ["{ destination: https://u:p@example.com/ }", "8:29", ".destination"],
    ["{ destination: { path: a } }", "8:37", ".destination.path"],
    ['{ headers: { X-A: "a\\nb" } }', "8:32", ".headers.X-A"],
    ["{ headers: { X-A: a, x-a: b } }", "8:35", ".headers.x-a"],
    ["{ delay: { spread: 0s } }", "8:33", ".delay.spread"],
    ["{ body: {} }", "8:22", ".body"],
    ["{ body: { merge: {}, patch: [{ op: remove, path: /a }] } }", "8:22", ".body"],
    ["{ body: { merge: { a: { b: 12345678901234567890 } } } }", "8:41", ".body.merge.a.b"],
    ["{ body: { merge: { a: .nan } } }", "8:36", ".body.merge.a"],
    ["{ body: { patch: [{ op: add, path: a, value: 1 }] } }", "8:49", ".body.patch[0].path"],
    ["{ body: { patch: [{ op: remove, path: /a, value: 1 }] } }", "8:56", ".body.patch[0]"],
    ["{ timeout: 1500ms }", "8:25", ".timeout"],
    ["{ callback: ftp://a }", "8:26", ".callback"],
    ["{ labels: 'a,b' }", "8:24", ".labels"],
    ["{ flowControl: { key: k } }", "8:29", ".flowControl"],
  ])("set: %s", (set, place, key) => {
    const problems = problemsOf(rule("when: any", "then: republish", `set: ${set}`));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`drains.yaml:${place} drains.orders.rules[0].set${key}: `);
  });

  it("never repeat header values", () => {
    const told = problemsOf(
      rule(
        "when: { header: { X-Key: [hunter2, 7] } }",
        "then: republish",
        "set: { headers: { X-Key: 1234567 } }",
      ),
    );
    expect(told).toHaveLength(2);
    expect(told.join()).not.toMatch(/hunter2|1234567/);
  });

  it.each(["republish", "drop"])("%s needs a when; when: any says it on purpose", (then) => {
    expect(problemsOf(rule(`then: ${then}`))[0]).toContain("drains.orders.rules[0]: missing when");
    expect(problemsOf(rule("when: any", `then: ${then}`))).toEqual([]);
  });

  it("drop needs the archive where it would act, and only there", () => {
    const dropping = ["rules:", "  - { when: any, then: drop }"];
    const archive = "archive: { dir: /a }\n";
    expect(problemsOf(withDrain("mode: live", ...dropping))).toEqual([
      "drains.yaml:7:28 drains.orders.rules[0].then: a live drain drops only what is archived first, and the document has no archive; expected archive: { dir: … } at its top",
    ]);
    expect(problemsOf(`defaults: { mode: live }\n${withDrain(...dropping)}`)).toHaveLength(1);
    expect(problemsOf(`defaults: { mode: live }\n${withDrain("mode: plan", ...dropping)}`)).toEqual([]);
    expect(problemsOf(archive + withDrain("mode: live", ...dropping))).toEqual([]);
    expect(problemsOf(`archive: { keep: 5d }\n${withDrain("mode: live", ...dropping)}`)).toEqual([
      "drains.yaml:1:10 archive.dir: missing; expected the path of a directory",
    ]);
  });
});
