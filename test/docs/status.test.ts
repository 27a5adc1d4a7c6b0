import { describe, expect, it } from "vitest";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";
import { drain, source, statusText, troubled } from "../support/statuses.ts";

const page = readDoc("docs/status.md");
const texts = [
  statusText({}),
  statusText(troubled),
  statusText({ sources: [source({ census: null })], replicas: [] }),
];

/** The first column of the table below a heading. */
function named(heading: string, header: "column"): readonly string[] {
  const part = page.split(`## ${heading}\n`)[1] ?? "";
  return tableRows(part, [header, "meaning"]).map(([name = ""]) => codeSpans(name)[0] ?? "");
}

/** Of the table whose header begins so. Names of columns are two spaces or more apart. */
function columnsOf(start: string): readonly string[] {
  const header = statusText(troubled)
    .split("\n")
    .find((line) => line.startsWith(start));
  return (header ?? "").trim().split(/ {2,}/);
}

describe("docs/status.md", () => {
  it("explains every column", () => {
    expect(named("The table of drains", "column")).toEqual(columnsOf("drain "));
  });

  it("explains fields that the details have", () => {
    const [, part = ""] = page.split("## The details\n");
    const fields = tableRows(part, ["field", "meaning"]).flatMap(([name = ""]) => codeSpans(name));
    expect(fields.length).toBeGreaterThan(25);
    expect(fields.filter((field) => !new RegExp(`^ *${field}(?: |$)`, "m").test(texts.join("\n")))).toEqual(
      [],
    );
  });

  it("is about what a drain without a pass shows, too", () => {
    const { due: _due, held: _held, parked: _parked, inDoubt: _inDoubt, ...bare } = drain("orders");
    expect(statusText({ drains: [bare as ReturnType<typeof drain>] })).toMatch(/^orders +live +0 +- +- /m);
    expect(page).toContain("`-` means not known");
  });
});
