import { createSelectMatcher } from "../../message/select.ts";
import type { ValuePath } from "../../config/problem.ts";
import type { CheckItem } from "../../message/item-check.ts";
import type { DrainConfig } from "../../ports/drains.ts";
import type { RuleTest } from "../../rules/rule-test.ts";
import { toTestRecord } from "./test-record.ts";
import { unmetBy, type Unmet } from "./compare.ts";
import { tryRecord } from "./trial.ts";

export type TestResult = ReturnType<typeof runOne>;
export type TestRun = ReturnType<typeof runRuleTests>;

export interface TestSurroundings {
  readonly headerPrefix: string;
  /** What the settings let be published by a drain's source. */
  readonly checkItemOf: (drain: DrainConfig) => CheckItem;
  readonly locate: (path: ValuePath) => { readonly line: number; readonly column: number };
}

/** What a test signs with: nobody ever sees it. */
const testLineageKey = "rules test";

/** Runs the tests of these drains, in their order. Pure. */
export function runRuleTests(drains: readonly DrainConfig[], surroundings: TestSurroundings) {
  return {
    results: drains.flatMap((drain) =>
      drain.tests.map((test, index) => runOne(drain, test, index, surroundings)),
    ),
    untested: drains.filter(({ tests }) => tests.length === 0).map(({ name }) => name),
  };
}

function runOne(
  drain: DrainConfig,
  test: RuleTest,
  index: number,
  { headerPrefix, checkItemOf, locate }: TestSurroundings,
) {
  const { raw, now, view } = toTestRecord(test, drain);
  const trial = tryRecord(drain, raw, {
    now,
    view,
    viewedAt: now,
    headerPrefix,
    lineageKeys: [testLineageKey],
    checkItem: checkItemOf(drain),
  });
  const unmet = [
    ...(createSelectMatcher(drain.select)(raw) ? [] : [notSelected]),
    ...unmetBy(trial, test.expect, headerPrefix),
  ];
  return {
    drain: drain.name,
    test: test.name,
    /** Of the test in the document, from 1. */
    ...locate(["drains", drain.name, "tests", index]),
    passed: unmet.length === 0,
    /** `hold: too-young (rule "outage", 40s of 2m)`. */
    decision: trial.kind === "decided" ? trial.explanation : `${trial.explanation}: ${trial.problem}`,
    unmet,
    /** How each rule fared; empty for a record that no rule is asked about. */
    walk: trial.kind === "decided" ? trial.walk.steps : [],
    /** What decides if no rule matches; null for a record that no rule is asked about. */
    otherwise: trial.kind === "decided" ? drain.otherwise : null,
  };
}

const notSelected: Unmet = {
  what: "select",
  expected: "a record that the drain's select lists",
  got: "one that it never sees",
};
