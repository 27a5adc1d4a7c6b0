import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const folder = new URL("./", import.meta.url);

/** Groups of rows.txt with their rows. */
function expectedRows(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  let rows: string[] = [];
  // The first paragraph explains the file.
  const [, ...paragraphs] = readFileSync(new URL("rows.txt", folder), "utf8").split(/\n\n/);
  for (const line of paragraphs.flatMap((paragraph) => paragraph.split("\n"))) {
    if (line.startsWith("  ")) rows.push(line.trim());
    else if (line !== "") groups.set(line, (rows = []));
  }
  return groups;
}

/**
 * Names of tests by the `describe` they stand in. A name is a string that begins a line, or is what `test` or
 * a table row begins with.
 */
function testNames(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".test.ts"))) {
    const [, ...parts] = readFileSync(new URL(file, folder), "utf8").split(/^describe\(/m);
    for (const part of parts) {
      const title = /^"([^"]+)"/.exec(part)?.[1] ?? "";
      const names = part.matchAll(/^ *(?:test(?:\.\w+\(.*\))?\(|\[)?"([^"\n]+)"/gm);
      groups.set(title, [...(groups.get(title) ?? []), ...[...names].slice(1).map(([, name]) => name!)]);
    }
  }
  return groups;
}

describe("rows.txt", () => {
  const names = testNames();

  test.each([...expectedRows()])("each row of %s has a test named after it", (group, rows) => {
    const tests = names.get(group) ?? [];
    const missing = rows.filter(
      (row) =>
        !tests.some((name) => name === row || name.startsWith(`${row}:`) || name.startsWith(`${row},`)),
    );
    expect(missing).toEqual([]);
  });

  test("holds the rows of the tables in sections 2, 4, 5 and 8", () => {
    const sections = [...expectedRows()].filter(([group]) => /^\d/.test(group));
    // 90 rows of the tables, dlqId, x and y, 6 that stand as text, 3 filter rules, 12 parameters that
    // deleting shares with listing, and one more since the largest count is tested for both operations.
    expect(sections.flatMap(([, rows]) => rows)).toHaveLength(114);
  });
});
