import { describe, expect, it } from "vitest";
import { actColumns } from "../../src/people/operations/history/rows.ts";
import { historyColumns } from "../../src/people/operations/history/rows.ts";
import { auditActs } from "../../src/job/contracts/audit.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/audit.md");

describe("docs/audit.md", () => {
  it("tells of every act, and of no other", () => {
    const acts = tableRows(page, ["act", "written", "says besides the ids"]).map(
      ([act = ""]) => codeSpans(act)[0],
    );
    expect(acts).toEqual([...auditActs]);
  });

  it("names the columns of history", () => {
    for (const columns of [actColumns, historyColumns]) {
      const names = Object.keys(columns).map((name) => `\`${name}\``);
      expect(page.replaceAll("\n", " ")).toContain(names.join(", "));
    }
  });
});
