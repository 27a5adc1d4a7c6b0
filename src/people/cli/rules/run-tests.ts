import { firstPlausibleAt } from "../../../job/message/plausible-dates.ts";
import { createSelectMatcher, type Select } from "../../../job/message/select.ts";
import type { ValuePath } from "../../../config/problem.ts";
import { defined } from "../../../job/message/defined.ts";
import type { CheckItem } from "../../../job/message/item-policy.ts";
import type { DlqId, RawRecord, BatchItem } from "../../../job/message/dead-letter.ts";
import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import type { RuleTest } from "../../../job/rules/rule-test.ts";
import { tryRecord, type Trial } from "../../operations/rules/try-record.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import type { LedgerView } from "../../../job/contracts/ledger-entries.ts";
import { parseJson, type JsonValue } from "../../../job/message/json-value.ts";
import { differencesOf } from "../../../job/message/describe-rebuild.ts";
import { toPrintable, toShownJson, toShownText } from "../../../job/message/show-masked-values.ts";
import { counted, joined } from "../../operations/phrases.ts";
import { toAnswerText, toFieldsText } from "../output/fields-text.ts";
import { toWalk } from "./explain-text.ts";

export type TestResult = ReturnType<typeof runOne>;
type TestRun = ReturnType<typeof runRuleTests>;

interface TestSurroundings {
  readonly headerPrefix: string;
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

const newer = "9999999999999-0" as DlqId;

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
    newer: () => (test.given.superseded === true ? newer : null),
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
    walk: trial.kind === "decided" ? trial.walk : [],
    otherwise: trial.kind === "decided" ? drain.otherwise : null,
  };
}

const notSelected: Unmet = {
  what: "select",
  expected: "a record that the drain's select lists",
  got: "one that it never sees",
};

/** 2026-01-01 00:00 UTC: the clock of tests stands still, so that none fails because a day has passed. */
export const testNow = Date.UTC(2026, 0, 1);

/** No message of a test was created later. */
const lastClock = Date.UTC(2100, 0, 1);

const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * The record of a test. What `given` leaves out is plain: what the drain's select asks for; a POST without
 * headers, body and HTTP answer; old enough for `minAge` and `wait`, an hour at least; created a minute
 * before it entered. `dlqId` and `createdAt` move the clock with them, but not a date that cannot be true.
 */
export function toTestRecord({ given }: RuleTest, drain: DrainConfig) {
  const { record, attempt = 0 } = given;
  const messageAgeMs = given.messageAgeMs;
  const { waitMs } = drain.attempts;
  const wait = waitMs[Math.min(attempt, waitMs.length - 1)] ?? 0;
  const plainAgeMs = Math.max(hourMs, drain.minAgeMs, wait);
  const ageMs = given.ageMs ?? Math.min(plainAgeMs, messageAgeMs ?? plainAgeMs);
  const dlqId = record["dlqId"];
  const createdAt = typeof record["createdAt"] === "number" ? record["createdAt"] : undefined;
  const namedEntry = typeof dlqId === "string" ? toEnteredAt(dlqId) : null;
  const movesClock = createdAt !== undefined && createdAt >= firstPlausibleAt && createdAt < lastClock;
  const enteredAt = namedEntry ?? (movesClock ? createdAt + minuteMs : testNow - ageMs);
  const now = enteredAt + ageMs;
  const created = createdAt ?? (messageAgeMs === undefined ? enteredAt - minuteMs : now - messageAgeMs);
  const view: LedgerView =
    attempt === 0
      ? { state: "absent" }
      : { state: "cool", dueAt: 0, refusedAlone: 0, attempt, released: false, suffix: 1 };
  return {
    raw: {
      dlqId: `${enteredAt}-0`,
      messageId: "msg_test",
      url: "https://example.com/",
      createdAt: Math.max(0, created),
      maxRetries: 3,
      ...toSelected(drain.select),
      ...record,
    },
    now,
    view,
  };
}

const ofAny = ["url", "topicName", "scheduleId", "queueName", "responseStatus", "flowControlKey"] as const;

function toSelected({ messageId, callerIp, label, ...lists }: Select): RawRecord {
  const firsts = Object.fromEntries(ofAny.map((name) => [name, lists[name]?.[0]]));
  return defined({ messageId, callerIP: callerIp?.[0], labels: label?.slice(0, 1), ...firsts });
}

interface Unmet {
  /**
   * `then`, `rule`, `reason`, `losses`, `destination`, `queue`, `header <name>`, `body`, `body <pointer>`.
   */
  readonly what: string;
  /** Texts are printable, and at most about 200 characters. */
  readonly expected: string;
  readonly got: string;
}

type Expected = RuleTest["expect"];

const maxBodyPlaces = 10;

/** How a trial differs from what the test expects. What `expect` leaves out is not compared. */
function unmetBy(trial: Trial, expected: Expected, headerPrefix: string): readonly Unmet[] {
  const { decision } = trial;
  const becoming = trial.kind === "decided" ? trial.becoming : null;
  const isRepublished = decision.then === "republish" && becoming?.kind === "item";
  return [
    ...unequal("then", expected.then, decision.then),
    ...unequal("rule", expected.rule === null ? "none" : expected.rule, decision.rule ?? "none"),
    ...unequal("reason", expected.reason, decision.reason),
    ...unequal("losses", toList(expected.losses), toList(becoming?.kind === "item" ? becoming.losses : [])),
    // If it is not republished, `then` differs already.
    ...(expected.item === undefined || !isRepublished
      ? []
      : unmetByItem(becoming.item, expected.item, headerPrefix)),
  ];
}

function unmetByItem(
  item: BatchItem,
  expected: NonNullable<Expected["item"]>,
  headerPrefix: string,
): readonly Unmet[] {
  const { destination, queue, headers, body } = expected;
  return [
    ...unequal("destination", destination, item.destination),
    ...unequal("queue", queue, item.queue ?? null),
    ...Object.entries(headers ?? {}).flatMap(([name, value]) =>
      unequal(`header ${toPrintable(name)}`, value, headerOf(item, name, headerPrefix)),
    ),
    ...(body === undefined ? [] : unmetByBody(item.body ?? "", body)),
  ];
}

/** A header of the delivery (`X-Redriven`), or one of the item itself (`Upstash-Retries`, `Content-Type`). */
function headerOf(item: BatchItem, name: string, headerPrefix: string): string | null {
  const wanted = [`${headerPrefix}Forward-${name}`.toLowerCase(), name.toLowerCase()];
  const found = Object.entries(item.headers).find(([itemName]) => wanted.includes(itemName.toLowerCase()));
  return found?.[1] ?? null;
}

/** Texts are equal as they are, or as the JSON that both are. */
function unmetByBody(got: string, expected: JsonValue): readonly Unmet[] {
  if (got === expected) return [];
  const gotJson = parseJson(got);
  const expectedJson = typeof expected === "string" ? parseJson(expected) : expected;
  if (gotJson === undefined || expectedJson === undefined) {
    return [{ what: "body", expected: shown(expected), got: toShownText(got, "content") || "nothing" }];
  }
  const differences = differencesOf(expectedJson, gotJson, maxBodyPlaces, "content");
  return differences.map(({ pointer, before, after }) => ({
    what: pointer === "" ? "body" : `body ${toPrintable(pointer)}`,
    expected: shown(before),
    got: shown(after),
  }));
}

function unequal(
  what: string,
  expected: string | null | undefined,
  got: string | null | undefined,
): readonly Unmet[] {
  if (expected === undefined || expected === got) return [];
  return [{ what, expected: shownText(expected), got: shownText(got) }];
}

function shownText(text: string | null | undefined): string {
  return text ? toPrintable(text) : "nothing";
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : toShownJson(value, "content");
}

function toList(losses: readonly string[] | undefined): string | undefined {
  return losses && ([...new Set(losses)].toSorted().join(", ") || "none");
}

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
