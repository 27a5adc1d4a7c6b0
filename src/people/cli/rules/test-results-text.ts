import { counted, joined } from "../../operations/phrases.ts";
import { toAnswerText, toFieldsText } from "../output/fields-text.ts";
import { toWalk } from "./explain-text.ts";
import type { TestResult, TestRun } from "./run-tests.ts";

export function toTestText(columns: number, file: string, { results, untested }: TestRun): string {
  const failures = results.filter(({ passed }) => !passed);
  const drains = new Set(results.map(({ drain }) => drain)).size;
  const passed = results.length - failures.length;
  const summary =
    failures.length === 0
      ? `ok: ${counted(passed, "test")} of ${counted(drains, "drain")} passed`
      : `failed: ${failures.length} of ${counted(results.length, "test")}, ${passed} passed`;
  return joined(
    ...failures.map((failure) => `${toFailureText(columns, file, failure)}\n`),
    toFieldsText(columns, { "no tests": untested }, 0),
    `${results.length === 0 ? "there are no tests" : summary}\n`,
  );
}

function toFailureText(columns: number, file: string, failure: TestResult): string {
  const { drain, test, line, column, decision, unmet, walk, otherwise } = failure;
  const fields = {
    test,
    ...Object.fromEntries(
      unmet.map(({ what, expected, got }) => [what, `expected  ${expected}\ngot       ${got}`]),
    ),
    decision,
    ...(otherwise !== null && toWalk(walk, otherwise)),
  };
  return toAnswerText(columns, `${file}:${line}:${column}: failed ${drain}`, fields, 0);
}

export function toTestJson(file: string, { results, untested }: TestRun): object {
  const passed = results.filter((result) => result.passed).length;
  return { file, passed, failed: results.length - passed, untested, results };
}
