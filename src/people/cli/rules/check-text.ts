import { silenceNote, silentSources } from "../../../config/document/silent-sources.ts";
import { countProblems, type Problem } from "../../../config/problem.ts";
import type { DrainsDocument } from "../../../job/contracts/drains-document.ts";
import { counted, joined, present } from "../../operations/phrases.ts";
import type { OpenedDocument } from "./open-document.ts";
import { wrapWords } from "../output/wrap.ts";

type Checked = Pick<OpenedDocument, "file" | "outcome">;
type FoundInDocument = Problem & { readonly kind: "error" | "warning" };

/** On a terminal the sentence is below the place. Elsewhere each finding is one line, in the form that compilers use. */
export function toCheckText(columns: number, checked: Checked): string {
  const { file, outcome } = checked;
  const { warnings } = outcome;
  const problems = outcome.ok ? [] : outcome.problems;
  const findings = toFindings(checked);
  const counts = present([
    problems.length > 0 && counted(countProblems(problems), "error"),
    warnings.length > 0 && counted(countProblems(warnings), "warning"),
  ]);
  const head = `${counts.join(", ") || "ok"}: ${file}`;
  const last = outcome.ok ? `${head}: ${toSummary(outcome.document)}` : head;
  const silent = outcome.ok ? silentSources(outcome.document) : [];
  return joined(
    ...findings.map((finding) => toFinding(columns, finding)),
    ...silent.map(({ name }) => wrapWords(columns, 2, "", `note: sources.${name}: ${silenceNote}`)),
    wrapWords(columns, 0, "", last),
  );
}

export function toFindings({ outcome }: Pick<Checked, "outcome">): readonly FoundInDocument[] {
  return [
    ...(outcome.ok ? [] : outcome.problems).map((problem) => ({ kind: "error", ...problem }) as const),
    ...outcome.warnings.map((problem) => ({ kind: "warning", ...problem }) as const),
  ].toSorted(byPlace);
}

/** One that counts others has no place in the document. */
function byPlace(one: Problem, other: Problem): number {
  const isRest = Number(one.more !== undefined) - Number(other.more !== undefined);
  return isRest || (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

function toFinding(columns: number, finding: FoundInDocument): string {
  const { kind, file, line, column, setting, path, message } = finding;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const head = present([place, kind, setting ?? path]).join(": ");
  return Number.isFinite(columns)
    ? `${head}\n${wrapWords(columns, 2, "", message)}`
    : `${head}: ${message}\n`;
}

function toSummary({ sources, drains, hash }: DrainsDocument): string {
  const own = [counted(sources.length, "source"), counted(drains.length, "drain")];
  const rules = counted(drains.flatMap((drain) => drain.rules).length, "rule");
  const tests = counted(drains.flatMap((drain) => drain.tests).length, "test");
  return [...own, rules, tests, `hash ${hash.slice(0, 12)}`].join(", ");
}

export function toCheckJson({ file, outcome }: Checked): object {
  const { ok, warnings } = outcome;
  return outcome.ok
    ? { file, ok, hash: outcome.document.hash, problems: [], warnings }
    : { file, ok, problems: outcome.problems, warnings };
}

/** Annotations of GitHub's workflow commands: one line for each. Without any, nothing. */
export function toGithubAnnotations(findings: readonly FoundInDocument[]): string {
  return findings
    .map(({ kind, file, line, column, setting, path, message }) => {
      const place = Object.entries({ file, line, col: column, title: setting ?? path })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
      return `::${kind}${place.length === 0 ? "" : ` ${place.join(",")}`}::${escapeText(message)}\n`;
    })
    .join("");
}

/** As the runner reads it back. */
function escapeText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
