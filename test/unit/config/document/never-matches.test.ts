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
    ["{ host: 'api.example.com:99999' }", "host", "and a port of at most 65535; expected a host such as"],
    ["{ host: 'a\\u00a0b.example' }", "host", "but a host has no"],
    ["{ host: 'u@pay.example' }", "host", "but a host has no scheme, user"],
    ["{ host: '?pi.example.com' }", "host", 'got "?pi.example.com", but a host has no'],
    ["{ host: '{{ host }}' }", "host", "but a host has no scheme"],
    ["{ path: { regex: '^v1' } }", "path", 'got "^v1", but a path begins with /'],
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

describe("a JSON pointer", () => {
  it.each(["@.type", " /type", "jq: .type", "$.a.b[0]"])("is proposed for %s, and is accepted", (text) => {
    const [problem = ""] = loadWhen(`{ body: { ${JSON.stringify(text)}: x } }`).problems;
    const proposal = /expected ("[^"]*")/.exec(problem)?.[1];
    expect(proposal, problem).toBeDefined();
    expect(loadWhen(`{ body: { ${proposal}: x } }`)).toMatchObject({ problems: [], warnings: [] });
  });

  it.each(["$.items[*].id", "?(@.x)", "$..a", ".items[] | .id", "$.a[0:2]"])(
    "that leads to one value is proposed for none of %s",
    (pointer) => {
      const [problem = ""] = loadWhen(`{ body: { ${JSON.stringify(pointer)}: x } }`).problems;
      expect(problem).toContain("expected a JSON pointer such as /items/0/id, which leads to one value");
    },
  );

  it("a host that begins with a dot is refused, with the glob that is meant", () => {
    expect(loadWhen("{ host: .example.com }").problems).toEqual([
      expect.stringContaining("a host such as *.example.com, or"),
    ]);
    expect(loadWhen('{ host: "*.example.com" }')).toMatchObject({ problems: [], warnings: [] });
  });
});
