import { describe, expect, it } from "vitest";
import { problemsOf, withDrain } from "../../../support/loaded-document.ts";
import { loadWhen } from "../../../support/decide-by-document.ts";

describe("a test that no record passes", () => {
  it.each([
    ["{ responseStatus: '> 599' }", "responseStatus", "got > 599, but an HTTP status is from 100 to 599"],
    ["{ responseStatus: 700 }", "responseStatus", "got 700, but an HTTP status"],
    ["{ attempt: '< 0' }", "attempt", "got < 0, but attempt is 0 or more"],
    ["{ attempt: none }", "attempt", "got none, but every record has attempt"],
    ["{ rate: 0 }", "rate", "got 0, but rate is 1 or more; expected 1 or more, or none"],
    ["{ method: { exists: false } }", "method", "got none, but every record has method"],
    ["{ host: 'https://api.example.com' }", "host", 'got "https://api.example.com", but a host has no'],
    ["{ host: api.example.com/orders }", "host", 'got "api.example.com/orders", but a host has no'],
    ["{ host: 'api.example.com:99999' }", "host", 'but a port is at most 65535; expected "api.example.com"'],
    ["{ host: 'a\\u00a0b.example' }", "host", "but a host has no"],
    ["{ host: 'u@pay.example' }", "host", 'but a host has no user in it; expected "pay.example"'],
    ["{ host: 'https://orders.example.org:8443/in' }", "host", 'expected "orders.example.org:8443"'],
    ["{ host: '?pi.example.com' }", "host", 'got "?pi.example.com", but a host has no ?'],
    ["{ host: '{{ host }}' }", "host", "nothing fills in a placeholder; expected a host such as"],
    ["{ path: { regex: '^v1' } }", "path", 'got "^v1", but a path begins with /; expected "^/v1"'],
    ["{ path: orders }", "path", 'got "orders", but a path begins with /'],
    ["{ path: '/orders?id=1' }", "path", 'got "/orders?[set]", but a path ends before the query'],
    ["{ path: '/a/../*' }", "path", "without . and .."],
    ["{ dlqId: msg_1 }", "dlqId", 'got "msg_1", but a dlqId is <milliseconds>-<sequence>'],
    ["{ any: [{ host: a, path: b }, { host: c }] }", "any[0].path", 'got "b"'],
    ["{ path: [a, b] }", "path", 'got "a", "b"'],
  ])("is refused with where and why: %s", (when, way, why) => {
    const { problems, warnings } = loadWhen(when.replaceAll("'", '"'));
    expect(problems).toEqual([expect.stringMatching(/^drains\.yaml:6:\d+ .*; expected /)]);
    expect(problems[0]).toContain(` drains.orders.rules[0].when.${way}: can never match: `);
    expect(problems[0]).toContain(why);
    expect(warnings).toEqual([]);
  });

  it("is refused at the line of the test in a rule of many lines", () => {
    const lines = [
      "- when:",
      "    all:",
      "      - host: a",
      "        responseStatus:",
      "          999",
      "  then: hold",
    ];
    expect(problemsOf(withDrain("rules:", ...lines.map((line) => `  ${line}`)))).toEqual([
      expect.stringMatching(/^drains\.yaml:9:15 drains\.orders\.rules\[0\]\.when\.all\[0\]\.responseStatus/),
    ]);
  });

  it.each(["{ host: [] }", "{ label: { in: [] } }", "{ body: {} }", "{ any: [] }"])(
    "is refused if it is empty: %s",
    (when) => {
      expect(loadWhen(when).problems).toHaveLength(1);
    },
  );
});

describe("tests that exclude each other", () => {
  it.each([
    ['{ all: [{ size: "> 5" }, { size: "< 3" }] }', "all[1].size: can never match beside size is > 5"],
    ["{ responseStatus: 503, all: [{ responseStatus: 504 }] }", "all[0].responseStatus"],
    ['{ all: [{ age: "> 2h" }, { age: "< 1h" }] }', "all[1].age"],
    ['{ all: [{ body: { /n: "> 5" } }, { body: { /n: "<= 5" } }] }', 'all[1].body["/n"]'],
    ["{ all: [{ body: { /n: 5 } }, { body: { /n: a } }] }", 'all[1].body["/n"]'],
    ['{ all: [{ queueName: "a*" }, { queueName: b }] }', "all[1].queueName"],
    ["{ all: [{ host: a.example }, { host: b.example }] }", "all[1].host"],
    ["{ all: [{ path: /a }, { path: /b }] }", "all[1].path"],
    ["{ all: [{ header: { X-A: none } }, { header: { x-a: b } }] }", "all[1].header.x-a"],
    ["{ responseStatus: 503, not: { responseStatus: 5xx } }", "not.responseStatus"],
    ["{ label: a, not: { label: [a, b] } }", "not.label"],
    [
      "{ responseStatus: 503, any: [{ responseStatus: 500 }, { responseStatus: 502 }] }",
      "any[0].responseStatus",
    ],
    ["{ not: { all: [{ size: 1 }, { size: 2 }] } }", "not.all[1].size"],
  ])("are refused: %s", (when, place) => {
    const { problems } = loadWhen(when);
    expect(problems).toEqual([
      expect.stringMatching(/^drains\.yaml:6:\d+ .*can never match beside .*; expected /),
    ]);
    expect(problems[0]).toContain(`rules[0].when.${place}`);
  });
});

/** What a finding proposes, as it would be written; null if it proposes none. */
function proposalIn(finding: string): string | null {
  return (
    /expected ("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{ (?:regex|range): [^}]* \}|[\d]+|true|false|\*\.[\w.]+)(?=[,;:]|$)/.exec(
      finding,
    )?.[1] ?? null
  );
}

describe("a proposal passes without a finding", () => {
  const hosts = ["https://orders.example.org/in", "u@a.example", "a.example:99999", "https://*.a.example"];
  const values = [">> 5", "5 <", "5 >=", "<", "1_500", "yes", "off", "1000-2000"];
  const pointers = ["/items.0.id", "/type/", "//type", "/$/type", "/@/type", "/type ", "/a[0]"];
  const paths = ["@.type", " /type", "jq: .type", "$.a.b[0]"];
  /** As it is written, and with the proposal in its place. */
  const cases: readonly (readonly [when: (text: string) => string, text: string])[] = [
    ...[...hosts, "?pi.example.com", "api.example.com:*"].map((text) => [asKey("host"), text] as const),
    ...["a|b", "a, b", "^orders$"].map((text) => [asKey("queueName"), text] as const),
    [asKey("method"), "POST|PUT"],
    [(text) => `{ host: { regex: ${text} } }`, "^api\\.Example"],
    [(text) => `{ path: { regex: ${text} } }`, "^v1"],
    [(text) => `{ path: { regex: ${text} } }`, "caf%c3%a9"],
    ...values.map((text) => [(value: string) => `{ body: { /n: ${value} } }`, text] as const),
    ...[...pointers, ...paths].map((text) => [(key: string) => `{ body: { ${key}: x } }`, text] as const),
  ];

  it.each(cases.map(([when, text]) => ({ when, text })))("of $text", ({ when, text }) => {
    const { problems, warnings } = loadWhen(when(JSON.stringify(text)));
    const [finding = ""] = [...problems, ...warnings];
    const proposal = proposalIn(finding);
    expect(proposal, finding).not.toBeNull();
    const again = loadWhen(when(proposal ?? ""));
    expect([...again.problems, ...again.warnings], when(proposal ?? "")).toEqual([]);
  });

  it.each([
    '{ body: { "/items/*/id": x } }',
    '{ body: { "/?(@/x)": x } }',
    '{ body: { "/items/-1": x } }',
    "{ label: not x }",
    "{ header: { X-A: not x } }",
    '{ header: { "X-Tenant*": x } }',
  ])("and where none can be made, the finding is a warning without one: %s", (when) => {
    const { problems, warnings } = loadWhen(when);
    expect(problems).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(proposalIn(warnings[0] ?? "")).toBeNull();
  });

  it.each(["$.items[*].id", "?(@.x)", "$..a", ".items[] | .id", "$.a[0:2]"])("and %s has none", (pointer) => {
    const [problem = ""] = loadWhen(`{ body: { ${JSON.stringify(pointer)}: x } }`).problems;
    expect(problem).toContain("expected a JSON pointer such as /items/0/id, which leads to one value");
  });

  it("a host that begins with a dot is refused, with the glob that is meant", () => {
    expect(loadWhen("{ host: .example.com }").problems).toEqual([
      expect.stringContaining("a host such as *.example.com, or"),
    ]);
    expect(loadWhen('{ host: "*.example.com" }')).toMatchObject({ problems: [], warnings: [] });
  });
});

function asKey(field: string): (text: string) => string {
  return (text) => `{ ${field}: ${text} }`;
}
