import type { Problem } from "../config/problem.ts";
import type { DrainsDocument } from "../ports/drains.ts";
import type { OpenedDocument } from "./rules-document.ts";
import { wrapWords } from "./wrap-words.ts";

type Checked = Pick<OpenedDocument, "file" | "outcome">;

/** What `redriver rules check` found, for a person: where each thing is, then what, in 80 columns. */
export function toCheckText({ file, outcome }: Checked): string {
  if (!outcome.ok) {
    return `${outcome.problems.map((one) => toFinding("problem", one)).join("")}${counted(outcome.problems.length, "problem")}\n`;
  }
  const { document, warnings } = outcome;
  const found = warnings.map((one) => toFinding("warning", one)).join("");
  const head = warnings.length === 0 ? "ok" : counted(warnings.length, "warning");
  return `${found}${wrapWords(0, "", `${head}: ${file}: ${toSummary(document)}`)}`;
}

/** The first line is one that editors and CI read; the sentence stands below it. */
function toFinding(kind: "problem" | "warning", { file, line, column, path, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const head = [`${place}:`, kind, ...(path === undefined || path === "" ? [] : [path])].join(" ");
  return `${head}\n${wrapWords(2, "", message)}`;
}

function toSummary({ sources, drains, hash }: DrainsDocument): string {
  const rules = drains.reduce((sum, drain) => sum + drain.rules.length, 0);
  const tests = drains.reduce((sum, drain) => sum + drain.tests.length, 0);
  return [
    counted(sources.length, "source"),
    counted(drains.length, "drain"),
    counted(rules, "rule"),
    counted(tests, "test"),
    `hash ${hash.slice(0, 12)}`,
  ].join(", ");
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export function toCheckJson({ file, outcome }: Checked): object {
  if (!outcome.ok) return { file, ok: false, problems: outcome.problems, warnings: [] };
  const { document, warnings } = outcome;
  return { file, ok: true, hash: document.hash, problems: [], warnings };
}
