import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { complaints, loaded, resultsOf, unusedRules } from "../support/drains-documents.ts";
import { codeBlocks, codeSpans, readDoc, root, tableRows } from "../support/markdown.ts";

const cookbook = readdirSync(path.join(root, "config/cookbook")).map((name) => `config/cookbook/${name}`);

describe("whole documents", () => {
  it("of the cookbook are those that the page lists", () => {
    const listed = tableRows(readDoc("docs/cookbook.md"), ["document", "situation"]).flatMap(([file = ""]) =>
      codeSpans(file),
    );
    expect(listed.toSorted()).toEqual(cookbook.toSorted());
  });

  it.each([...cookbook, "config/drains.yaml", "config/drains.example.yaml"])(
    "%s loads without a warning, plans, and passes its tests",
    (file) => {
      const text = readDoc(file);
      expect(complaints(text, file)).toEqual([]);
      const { drains } = loaded(text, file);
      expect(new Set(drains.map(({ mode }) => mode))).toEqual(new Set(["plan"]));
      expect(drains.filter(({ tests }) => tests.length === 0)).toEqual([]);
      expect(resultsOf(text, file).filter(({ passed }) => !passed)).toEqual([]);
    },
  );

  it.each([...cookbook, "config/drains.yaml", "config/drains.example.yaml"])(
    "%s tells editors where its schema is, from where it stands",
    (file) => {
      const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(readDoc(file)) ?? [];
      expect(readDoc(file).split("\n")[0]).toContain("yaml-language-server");
      const target = path.join(path.dirname(file), schema);
      expect(target).toBe("config/schema/drains.schema.json");
      expect(existsSync(path.join(root, target))).toBe(true);
    },
  );

  it.each([
    "config/drains.yaml",
    "deploy/base/drains.yaml",
    "deploy/overlays/development/drains.yaml",
    "deploy/overlays/production/drains.yaml",
    "deploy/local/drains/drains.yaml",
  ])("%s leaves to the built-in values what becomes of messages in doubt", (file) => {
    expect(readDoc(file)).not.toMatch(/unknownOutcome|afterLedgerLoss/);
    const doubts = loaded(readDoc(file), file).drains.map((drain) => [
      drain.unknownOutcome,
      drain.afterLedgerLoss,
    ]);
    expect(doubts).toEqual([["republish", "republish"]]);
  });

  it.each(cookbook)("%s has a test for every rule", (file) => {
    expect(unusedRules(readDoc(file), file)).toEqual([]);
  });

  it.each(codeBlocks(readDoc("README.md")).filter(({ language }) => language === "yaml"))(
    "the one of README at line $line loads without a warning, and plans",
    ({ text }) => {
      expect(complaints(text, "README.md")).toEqual([]);
      expect(loaded(text, "README.md").drains.map(({ mode }) => mode)).toEqual(["plan"]);
    },
  );
});
