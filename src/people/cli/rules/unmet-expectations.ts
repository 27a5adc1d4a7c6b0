import { parseJson, type JsonValue } from "../../../job/message/json-value.ts";
import { differencesOf } from "../../../job/message/body-differences.ts";
import type { BatchItem } from "../../../job/message/dead-letter.ts";
import { toPrintable, toShownJson, toShownText } from "../../../job/message/show-masked-values.ts";
import type { RuleTest } from "../../../job/rules/rule-test.ts";
import type { Trial } from "../../operations/rules/try-record.ts";

export interface Unmet {
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
export function unmetBy(trial: Trial, expected: Expected, headerPrefix: string): readonly Unmet[] {
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
