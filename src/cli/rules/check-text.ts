import { countProblems, type Problem } from "../../config/problem.ts";
import type { DrainsDocument } from "../../ports/drains.ts";
import { counted } from "../output/words.ts";
import type { OpenedDocument } from "./open-document.ts";
import { wrapWords } from "../output/wrap.ts";

type Checked = Pick<OpenedDocument, "file" | "outcome">;

/**
 * What `redriver rules check` found, errors and warnings in the order of the document. On a terminal the sentence is below the
 * place. Elsewhere each finding is one line, in the form that compilers use and editors and CI read.
 */
export function toCheckText(columns: number, { file, outcome }: Checked): string {
  const { warnings } = outcome;
  const problems = outcome.ok ? [] : outcome.problems;
  const findings = [
    ...problems.map((problem) => ({ kind: "error", ...problem }) as const),
    ...warnings.map((problem) => ({ kind: "warning", ...problem }) as const),
  ].toSorted(
    (one, other) =>
      Number(isRest(one)) - Number(isRest(other)) || at(one.line, other.line) || at(one.column, other.column),
  );
  const counts = [
    ...(problems.length === 0 ? [] : [counted(countProblems(problems), "error")]),
    ...(warnings.length === 0 ? [] : [counted(countProblems(warnings), "warning")]),
  ];
  const head = `${counts.join(", ") || "ok"}: ${file}`;
  const last = outcome.ok ? `${head}: ${toSummary(outcome.document)}` : head;
  return [...findings.map((finding) => toFinding(columns, finding)), wrapWords(columns, 0, "", last)].join(
    "",
  );
}

/** It has no place in the document. */
function isRest({ more }: Problem): boolean {
  return more !== undefined;
}

function at(one = 0, other = 0): number {
  return one - other;
}

function toFinding(columns: number, finding: Problem & { readonly kind: "error" | "warning" }): string {
  const { kind, file, line, column, setting, path, message } = finding;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const subject = setting ?? path ?? "";
  const head = [`${place}: ${kind}`, ...(subject === "" ? [] : [subject])].join(": ");
  return Number.isFinite(columns)
    ? `${head}\n${wrapWords(columns, 2, "", message)}`
    : `${head}: ${message}\n`;
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

export function toCheckJson({ file, outcome }: Checked): object {
  const { ok, warnings } = outcome;
  return outcome.ok
    ? { file, ok, hash: outcome.document.hash, problems: [], warnings }
    : { file, ok, problems: outcome.problems, warnings };
}
