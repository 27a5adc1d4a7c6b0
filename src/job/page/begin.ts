import { toShortId } from "../message/short-id.ts";
import { defined } from "../message/defined.ts";
import { hostOf } from "../message/destination-url.ts";
import { ofFailureNote, type AuditRecord } from "../contracts/audit.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { BeginAnswer, BeginOptions, BeginRequest, BeginVerdict } from "../contracts/ledger.ts";
import { ofDrain, recordIntent, toEntry } from "../write-audit.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isDiscard } from "./decide-letter.ts";
import { hold, leaveInDoubt } from "./fate.ts";
import { pausableNamesOf } from "./gates/pause.ts";
import { parentOf, type Begun, type Item, type Letter } from "./letter.ts";

export type Beginning = Pick<
  BeginOptions,
  "act" | "via" | "token" | "pageReadAt" | "pastHorizon" | "previous" | "isDiscard" | "archivedForMs"
>;

interface Beginnings {
  readonly begun: readonly Begun[];
  readonly recordBegun: () => Promise<void>;
}

const none: Beginnings = { begun: [], recordBegun: () => Promise.resolve() };

/**
 * Takes the right to act on letters and writes the intent, in one step: in the ledger, and in the audit if all are
 * begun and none is a declared double. Otherwise `recordBegun` writes those begun into the audit, before the act.
 * If either throws `redis-unavailable`, nothing may be sent. Those not begun get their fate.
 */
export async function begin(
  drain: DrainRuntime,
  letters: readonly Letter[],
  beginning: Beginning,
): Promise<Beginnings> {
  const { act } = beginning;
  const { config, source, workerLostAt } = drain;
  const { name, rulesHash } = config;
  const of = ofDrain(drain);
  const expected: AuditRecord[] = [];
  const requests: BeginRequest[] = [];
  // Neighbours are mostly decided by one rule.
  let [lastRule, ruleId] = ["", toShortId(name, "")];
  for (const letter of letters) {
    const record = toRecord(act, letter, false);
    expected.push(record);
    const { dlqId, messageId, failure } = letter;
    // The redrives made once this one is accepted.
    const attempt = act === "drop" ? letter.attempt + 1 : record.attempt;
    const { rule } = letter.decision;
    if (rule !== lastRule) ruleId = toShortId(name, (lastRule = rule ?? ""));
    const by = act === "drop" ? {} : { rule: ruleId };
    requests.push({ dlqId, messageId, attempt, failure: failure.id, ...by });
  }
  const answer = await source.ledger.begin(requests, {
    ...beginning,
    // A drop goes nowhere, so no pause of a destination stops it.
    ...(act === "drop" ? {} : { destinations: namesOf(letters) }),
    ...defined({ workerLostAt }),
    lookedUp: [...new Set(letters.map(({ lookedUp }) => lookedUp))].flatMap((one) => one ?? []),
    drain: name,
    rulesHash,
    audit: [toEntry(source, act, expected, of)],
  });
  if (answer.kind === "host-paused") return beginOthers(drain, letters, beginning, answer);
  if (answer.kind !== "answered") {
    for (const letter of letters) hold(letter, answer.kind);
    return none;
  }
  const begun: Begun[] = [];
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters[index]!;
    const verdict = answer.verdicts[index];
    if (verdict?.kind === "begun") {
      begun.push({ letter, series: verdict.series, declaredDouble: verdict.declaredDouble });
    } else if (verdict !== undefined) leaveNotBegun(letter, verdict);
  }
  const recordBegun = async (): Promise<void> => {
    if (answer.audited === true || begun.length === 0) return;
    const records = begun.map(({ letter, declaredDouble }) => toRecord(act, letter, declaredDouble));
    await recordIntent(source, act, records, of);
  };
  return { begun, recordBegun };
}

/** What the audit says of a letter about to be dropped, or published: with its losses, and if it may be a double. */
export function toRecord(
  act: Beginning["act"],
  letter: Letter,
  declaredDouble: Begun["declaredDouble"],
): AuditRecord & { readonly attempt: number } {
  const { dlqId, decision, reading, sendAs } = letter;
  const { rule, reason } = decision;
  const item = act === "drop" ? null : letter.due;
  const attempt = item === null ? letter.attempt : letter.lineage.attempt;
  const record = { dlqId, rule, reason, attempt, host: item?.host ?? hostOf(letter.content.url) };
  const notes: string[] = [...(item?.losses ?? [])];
  if (decision.then === "drop" && decision.by !== undefined) notes.push(`superseded-by:${decision.by}`);
  if (isDiscard(decision)) notes.push(`${ofFailureNote}${letter.failure.id}`);
  if (item !== null && declaredDouble !== false) notes.push(declaredDouble);
  if (item !== null && sendAs !== null) notes.push("canary");
  if (notes.length === 0 && reading.kind !== "come-back") return record;
  return { ...record, ...parentOf(letter), ...(notes.length === 0 ? {} : { notes }) };
}

async function beginOthers(
  drain: DrainRuntime,
  letters: readonly Letter[],
  beginning: Beginning,
  { hosts }: Extract<BeginAnswer, { kind: "host-paused" }>,
): Promise<Beginnings> {
  const paused = new Set(hosts);
  const others: Letter[] = [];
  for (const letter of letters) {
    const name = pausableNamesOf(letter).find((one) => paused.has(one));
    if (name === undefined) others.push(letter);
    else hold(letter, "host-paused", undefined, name);
  }
  if (others.length === letters.length) {
    throw new RedriverError("invariant-broken", "no letter goes to a paused host");
  }
  return others.length === 0 ? none : begin(drain, others, beginning);
}

/** Each once. Neighbours mostly go to one address and failed alike, so they are compared first. */
function namesOf(letters: readonly Letter[]): readonly string[] {
  const names = new Set<string>();
  let failure: Letter["failure"] | undefined;
  let target: Partial<Item["target"]> = {};
  for (const letter of letters) {
    const own = letter.due.target;
    const isAlike =
      letter.failure === failure && own.destination === target.destination && own.queue === target.queue;
    if (isAlike) continue;
    ({ failure } = letter);
    target = own;
    for (const name of pausableNamesOf(letter)) names.add(name);
  }
  return [...names];
}

function leaveNotBegun(letter: Letter, verdict: Exclude<BeginVerdict, { kind: "begun" }>): void {
  switch (verdict.kind) {
    case "in-flight":
    case "other-version":
      return hold(letter, verdict.kind);
    case "past-horizon":
      return leaveInDoubt(letter);
    case "cooling":
      return hold(letter, "cooling", verdict.dueAt);
    case "parked":
      letter.fate = { kind: "parked", decision: { then: "park", reason: verdict.reason, rule: null } };
      return;
    case "published":
      letter.fate = { kind: "done-before", isSettledElsewhere: verdict.isBeingDeleted === true };
      return;
    case "archived":
    case "gone":
      letter.fate = { kind: "done-before", isSettledElsewhere: true };
  }
}
