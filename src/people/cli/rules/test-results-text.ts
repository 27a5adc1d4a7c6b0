import { counted, joined } from "../../operations/phrases.ts";
import { wrapList, wrapText, wrapWords } from "../output/wrap.ts";
import { toWalkText } from "./explain-text.ts";
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
    wrapList(columns, 0, "no tests", untested),
    `${results.length === 0 ? "there are no tests" : summary}\n`,
  );
}

function toFailureText(columns: number, file: string, failure: TestResult): string {
  const { drain, test, line, column, decision, unmet, walk, otherwise } = failure;
  return joined(
    `${file}:${line}:${column}: failed ${drain}\n`,
    wrapWords(columns, 2, "", test),
    ...unmet.flatMap(({ what, expected, got }) => [
      `  ${what}\n`,
      wrapText(columns, 4, "expected  ", expected),
      wrapText(columns, 4, "got       ", got),
    ]),
    wrapWords(columns, 2, "decision  ", decision),
    otherwise !== null && toWalkText(columns, walk, otherwise),
  );
}

export function toTestJson(file: string, { results, untested }: TestRun): object {
  const passed = results.filter((result) => result.passed).length;
  return { file, passed, failed: results.length - passed, untested, results };
}
