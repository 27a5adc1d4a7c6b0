import { describe, expect, it } from "vitest";
import { loadDocument } from "../../src/config/document/load-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { parkReasons } from "../../src/rules/decision.ts";
import { codeBlocks, codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/rules.md");

/** What is wrong with a document, warnings included. No date is judged, so that no test goes stale by itself. */
function complaints(text: string, fileName: string): readonly string[] {
  const outcome = loadDocument(text, fileName);
  return (outcome.ok ? outcome.warnings : outcome.problems).map(formatProblem);
}

/** "Every example on this page is a whole `rules:` list", so it is put into the smallest document that has one. */
function inDrain(rules: string, mode = "plan"): string {
  const list = rules.replaceAll(/^/gm, "      ").trimEnd();
  return `version: 1\nsources: { default: {} }\ndrains:\n  example:\n    mode: ${mode}\n    rules:\n${list}\n`;
}

/** The keys or words that a refused one is answered with. */
function wordsInstead(rule: string): readonly string[] {
  const outcome = loadDocument(inDrain(`- ${rule}`), "drains.yaml");
  const expected = outcome.ok ? "nothing" : outcome.problems[0]?.expected;
  const list = /^one of (.+)$/.exec(expected ?? "")?.[1];
  if (list === undefined) throw new Error(`expected a list of words, got: ${expected}`);
  return list.split(/, | or /).toSorted();
}

/** What stands in the first column of a table, sorted. */
const keysOf = (text: string, headers: readonly string[]) =>
  tableRows(text, headers)
    .flatMap(([key = ""]) => codeSpans(key))
    .toSorted();

const examples = codeBlocks(page).filter(({ language }) => language === "yaml");

describe("docs/rules.md", () => {
  it("has an example for every part that is written in YAML", () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(codeBlocks(page).filter(({ text, language }) => language === "" && /\bthen:/.test(text))).toEqual(
      [],
    );
  });

  it.each(examples)("the example at line $line ($heading) loads, in a live drain too", ({ text, line }) => {
    expect(complaints(inDrain(text), `docs/rules.md:${line}`)).toEqual([]);
    expect(complaints(inDrain(text, "live"), `docs/rules.md:${line}`)).toEqual([]);
  });

  it("has the keys of a rule, of when and of set that the loader has, and no others", () => {
    const changes = page.slice(page.indexOf("## What a republish can change"));
    expect(keysOf(page, ["key", "meaning"])).toEqual(wordsInstead("{ unknown: 1, when: any, then: hold }"));
    expect(keysOf(changes, ["key", "meaning"])).toEqual(
      wordsInstead("{ when: any, then: republish, set: { unknown: 1 } }"),
    );
    expect(keysOf(page, ["`then`", "meaning"])).toEqual(wordsInstead("{ when: any, then: unknown }"));
    const asked = page.slice(
      page.indexOf("## What a rule can ask"),
      page.indexOf("## What a republish can change"),
    );
    const headings = [...asked.matchAll(/^### (.+)$/gm)].flatMap(([, heading = ""]) => codeSpans(heading));
    expect(headings.toSorted()).toEqual(wordsInstead("{ when: { unknown: 1 }, then: hold }"));
  });

  it("has every reason for which a record is parked although a rule republishes it", () => {
    const reasons = tableRows(page, ["reason", "the record"]).flatMap(([reason = ""]) => codeSpans(reason));
    // The rules' own words; and what the loader refuses before it can happen: a queue together with a delay.
    const others = new Set<string>(["rule", "otherwise", "queue-with-delay"]);
    expect(reasons.toSorted()).toEqual(parkReasons.filter((reason) => !others.has(reason)).toSorted());
    expect(
      complaints(inDrain("- { when: any, then: republish, set: { queue: q, delay: 30s } }"), "drains.yaml"),
    ).toEqual([expect.stringContaining("the service refuses both together")]);
  });

  it("refuses drop in a live drain and shows it in a plan, as the page says", () => {
    const drop = "- { when: any, then: drop }";
    expect(complaints(inDrain(drop), "drains.yaml")).toEqual([]);
    expect(complaints(inDrain(drop, "live"), "drains.yaml")).toEqual([
      expect.stringContaining("drop needs the archive"),
    ]);
  });

  it.each(["Host", "Content-Length", "User-Agent", "Connection", "X-Redriver"])(
    "names %s among the headers that a rule cannot set, and the loader agrees",
    (header) => {
      const set = `- { when: any, then: republish, set: { headers: { ${header}: "1" } } }`;
      expect(complaints(inDrain(set), "drains.yaml")).toEqual([
        expect.stringContaining("a header that a rule may set"),
      ]);
      expect(page).toContain(header === "Connection" ? "headers of the connection" : header);
    },
  );
});

describe("whole documents", () => {
  it.each(codeBlocks(readDoc("README.md")).filter(({ language }) => language === "yaml"))(
    "the one of README at line $line loads without a warning, and plans",
    ({ text }) => {
      expect(complaints(text, "README.md")).toEqual([]);
      const outcome = loadDocument(text, "README.md");
      expect(outcome.ok && outcome.document.drains.map(({ mode }) => mode)).toEqual(["plan"]);
    },
  );

  it.each([
    "config/drains.yaml",
    "config/drains.example.yaml",
    "deploy/base/drains.yaml",
    "deploy/overlays/production/drains.yaml",
  ])("%s loads without a warning", (file) => {
    expect(complaints(readDoc(file), file)).toEqual([]);
  });
});
