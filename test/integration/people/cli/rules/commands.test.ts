import { describe, expect, it } from "vitest";
import { documentJsonSchemaText } from "../../../../../src/config/document/json-schema.ts";
import { expectTold, runHere as ask } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { wholeDocument } from "../../../../support/whole-document.ts";

const head = "version: 1\nsources: { default: {} }\n";
const twoDrains = `${head}drains:
  one: { select: { topicName: a }, rules: [{ name: first, when: any, then: hold }] }
  two: { select: { topicName: b }, rules: [{ name: second, when: any, then: park }] }
`;
const file = (text: string) => createFolder().write("drains.yaml", text);

describe("redriver rules check", () => {
  it("needs nothing but the document: no token, no Redis, no network", async () => {
    const drains = file(wholeDocument);
    const fine = { exitCode: 0, err: "", out: expect.stringMatching(/^ok: /) as string };
    expect(await ask(["rules", "check", drains])).toMatchObject(fine);
    expect(await ask(["rules", "check"], { REDRIVER_DRAINS_FILE: drains })).toMatchObject(fine);
    expect(await ask(["rules", "check", file("version: 2"), "--drains", drains])).toMatchObject({
      exitCode: 78,
    });
  });

  it("writes annotations for GitHub", async () => {
    const name = file(`${head}drains: { "a,b": { mod: live } }\n`).replaceAll("%", "%25");
    const github = await ask(["rules", "check", name, "--format", "github"]);
    expect(github).toMatchObject({ exitCode: 78, err: "" });
    expect(github.out.split("\n")[0]).toMatch(
      /^::error file=[^,]+drains\.yaml,line=3,col=11,title=drains\["a%2Cb"\]::expected a name of .*$/,
    );
    const fine = file(wholeDocument);
    expect(await ask(["rules", "check", fine, "--format", "github"])).toMatchObject({ exitCode: 0, out: "" });
    expect(await ask(["rules", "check", fine, "--format", "xml"])).toMatchObject({ exitCode: 2 });
  });

  it("tells errors and warnings together, in the order of the document, each on one line", async () => {
    const text = `${head}drains:
  d:
    rules:
      - { name: dated, ignoreAfter: 2025-01-01, when: { host: a }, then: hold }
      - { name: all, when: any, then: holdd }
      - { name: never, when: { path: /orders }, then: park }
`;
    const { exitCode, out } = await ask(["rules", "check", file(text)]);
    expect(exitCode).toBe(78);
    expect(out.split("\n").map((line) => line.replace(/^.*(drains\.yaml)/, "$1"))).toEqual([
      expect.stringMatching(/^drains\.yaml:6:24: warning: .* is skipped/),
      expect.stringMatching(/^drains\.yaml:7:39: error: drains\.d\.rules\[1\]\.then: .*got "holdd"$/),
      expect.stringMatching(/^drains\.yaml:8:9: warning: .* is never asked: rule "all"/),
      "drains.yaml",
      "",
    ]);
    const shown = await ask(["rules", "check", file(text)], {}, { terminal: true });
    expect(shown.out).toMatch(/: error: drains\.d\.rules\[1\]\.then\n(?: {2}.{1,78}\n)+/);
    const json = JSON.parse((await ask(["rules", "check", file(text), "--json"])).out) as object;
    expect(json).toMatchObject({
      ok: false,
      problems: [{ line: 7 }],
      warnings: [{ line: 6 }, { line: 8 }],
    });
  });

  it("tells what only shows beside the settings, with its place in the document", async () => {
    const text = `${head}drains:
  d:
    rules:
      - { name: a, when: any, then: republish, set: { headers: { Service-Key: "1" } } }
`;
    const answer = await ask(["rules", "check", file(text)], { REDRIVER_SERVICE_HEADER_PREFIX: "Service-" });
    expect(answer.exitCode).toBe(78);
    expect(answer.out).toContain("drains.yaml:6:79: error: drains.d.rules[0].set.headers.Service-Key");
    expect(await ask(["rules", "check", file(text)])).toMatchObject({ exitCode: 0 });
  });
});

describe("redriver rules test", () => {
  const failing = wholeDocument.replace("reason: too-young", "reason: waiting");

  it("ends with 0 when all pass, with 1 when one fails, and says where it stands", async () => {
    expect(await ask(["rules", "test", file(wholeDocument)])).toMatchObject({
      exitCode: 0,
      out: "ok: 2 tests of 1 drain passed\n",
      err: "",
    });
    const answer = await ask(["rules", "test", file(failing)]);
    const line = failing.split("\n").findIndex((text) => text.includes("a gateway timeout")) + 1;
    expect(answer).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining(`drains.yaml:${line}:9: failed orders\n`),
    });
  });

  it("prints the same as JSON", async () => {
    const { out, exitCode } = await ask(["rules", "test", file(failing), "--json"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      passed: 1,
      failed: 1,
      untested: [],
      results: [
        {
          drain: "orders",
          passed: false,
          decision: 'hold: too-young (rule "outage", 40s of 2m)',
          unmet: [{ what: "reason", expected: "waiting", got: "too-young" }],
        },
        { passed: true, unmet: [] },
      ],
    });
  });

  it("runs the tests of one drain, and knows which there are", async () => {
    const text = file(twoDrains);
    expect(await ask(["rules", "test", text, "--drain", "one"])).toMatchObject({
      exitCode: 0,
      out: "no tests  one\nthere are no tests\n",
    });
    const third = await ask(["rules", "test", text, "--drain", "three"]);
    expectTold(third, 2, 'no drain is named "three"; the document has one, two');
  });

  it("ends with 78 for a document that does not load", async () => {
    expect(await ask(["rules", "test", file("version: 2\n")])).toMatchObject({ exitCode: 78, out: "" });
  });

  it("builds items with the service's prefix", async () => {
    const text = file(`${head}drains:
  d:
    rules: [{ name: a, when: any, then: republish, set: { retries: 1 } }]
    tests: [{ name: t, given: {}, expect: { then: republish, item: { headers: { Service-Retries: "1", Upstash-Retries: null } } } }]
`);
    expect(await ask(["rules", "test", text], { REDRIVER_SERVICE_HEADER_PREFIX: "Service-" })).toMatchObject({
      exitCode: 0,
    });
    expect(await ask(["rules", "test", text])).toMatchObject({ exitCode: 1 });
  });
});

it("redriver rules schema prints what is committed for editors", async () => {
  expect(await ask(["rules", "schema"])).toMatchObject({
    exitCode: 0,
    err: "",
    out: documentJsonSchemaText(),
  });
});
