import { defined } from "../message/defined.ts";
import { pausableNamesOf } from "./paused-hosts.ts";
import type { AuditRecord } from "../contracts/audit.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { BeginAnswer, BeginOptions, BeginVerdict } from "../contracts/ledger.ts";
import { ofDrain, recordIntent, toEntry } from "../write-audit.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { Actionable, Begun, Candidate } from "./records.ts";
import { held, inDoubt, type LeftResult } from "./results.ts";

/** Which acts are begun, and how the ledger and the audit get them. */
export interface Beginning<R extends Actionable> extends Omit<
  BeginOptions,
  "drain" | "rulesHash" | "audit" | "destinations"
> {
  /** Where a record goes. Absent: it goes nowhere, and no pause of a destination stops it. */
  readonly targetOf?: (record: R) => Candidate["target"];
  /** The redrives made once this one is accepted. */
  readonly attemptOf: (record: R) => number;
  readonly toAuditRecord: (begun: Pick<Begun<R>, "candidate" | "declaredDouble">) => AuditRecord;
}

/** `recordBegun`: see begin. */
interface Beginnings<R extends Actionable> {
  readonly begun: readonly Begun<R>[];
  readonly results: readonly LeftResult<R>[];
  readonly recordBegun: () => Promise<void>;
}

/**
 * Takes the right to act on records and writes the intent, in one step: in the ledger, and in the audit if all
 * are begun as expected. Otherwise `recordBegun` writes exactly the begun ones into the audit. It is called
 * before the act and throws `redis-unavailable`; then the act must not be done. Answers the results of those
 * not begun. If some destinations are paused, the records of the others are begun by a second call. Throws
 * `redis-unavailable`; then nothing may be sent.
 */
export async function begin<R extends Actionable>(
  drainRuntime: DrainRuntime,
  records: readonly R[],
  beginning: Beginning<R>,
): Promise<Beginnings<R>> {
  const { attemptOf, toAuditRecord, targetOf, ...options } = beginning;
  const { config, source, workerLostAt } = drainRuntime;
  const { name: drain, rulesHash } = config;
  const of = ofDrain(drainRuntime);
  const expected = records.map((candidate) => toAuditRecord({ candidate, declaredDouble: false }));
  const destinations = targetOf === undefined ? {} : { destinations: namesOf(records, targetOf) };
  const answer = await source.ledger.begin(
    records.map((record) => ({
      dlqId: record.letter.dlqId,
      messageId: record.letter.messageId,
      attempt: attemptOf(record),
    })),
    {
      ...options,
      ...destinations,
      ...defined({ workerLostAt }),
      drain,
      rulesHash,
      audit: [toEntry(source, options.act, expected, of)],
    },
  );
  if (answer.kind === "host-paused") return beginOthers(drainRuntime, records, beginning, answer);
  if (answer.kind !== "answered") {
    const results = records.map((record) => held(record, answer.kind));
    return { begun: [], results, recordBegun: () => Promise.resolve() };
  }
  const begun: Begun<R>[] = [];
  const results: LeftResult<R>[] = [];
  for (const [index, candidate] of records.entries()) {
    const verdict = answer.verdicts[index];
    if (verdict?.kind === "begun") {
      begun.push({ candidate, series: verdict.series, declaredDouble: verdict.declaredDouble });
    } else if (verdict !== undefined) results.push(notBegun(candidate, verdict));
  }
  const recordBegun = async (): Promise<void> => {
    if (answer.audited === true || begun.length === 0) return;
    await recordIntent(source, options.act, begun.map(toAuditRecord), of);
  };
  return { begun, results, recordBegun };
}

/** Holds the records of paused destinations and begins the others. Each call leaves out one at least. */
async function beginOthers<R extends Actionable>(
  drain: DrainRuntime,
  records: readonly R[],
  beginning: Beginning<R>,
  { hosts }: Extract<BeginAnswer, { kind: "host-paused" }>,
): Promise<Beginnings<R>> {
  const { targetOf } = beginning;
  const paused = new Set(hosts);
  const results: LeftResult<R>[] = [];
  const others: R[] = [];
  for (const record of records) {
    const name = targetOf && pausableNamesOf(record, targetOf(record)).find((one) => paused.has(one));
    if (name === undefined) others.push(record);
    else results.push(held(record, "host-paused", undefined, name));
  }
  if (results.length === 0) throw new RedriverError("invariant-broken", "no record goes to a paused host");
  if (others.length === 0) return { begun: [], results, recordBegun: () => Promise.resolve() };
  const rest = await begin(drain, others, beginning);
  return { ...rest, results: [...results, ...rest.results] };
}

/** Each once. Neighbours mostly go to one address and failed alike, so they are compared first. */
function namesOf<R extends Actionable>(
  records: readonly R[],
  targetOf: (record: R) => Candidate["target"],
): readonly string[] {
  const names = new Set<string>();
  let failure: R["failure"] | undefined;
  let target: Partial<Candidate["target"]> = {};
  for (const record of records) {
    const own = targetOf(record);
    const isAlike =
      record.failure === failure && own.destination === target.destination && own.queue === target.queue;
    if (isAlike) continue;
    ({ failure } = record);
    target = own;
    for (const name of pausableNamesOf(record, own)) names.add(name);
  }
  return [...names];
}

function notBegun<R extends Actionable>(
  candidate: R,
  verdict: Exclude<BeginVerdict, { kind: "begun" }>,
): LeftResult<R> {
  switch (verdict.kind) {
    case "in-flight":
    case "other-version":
      return held(candidate, verdict.kind);
    case "past-horizon":
      return inDoubt(candidate);
    case "cooling":
      return held(candidate, "cooling", verdict.dueAt);
    case "parked":
      return { kind: "parked", candidate, decision: { then: "park", reason: verdict.reason, rule: null } };
    case "published":
      return { kind: "done-before", candidate, isSettledElsewhere: verdict.isBeingDeleted === true };
    case "archived":
    case "gone":
      return { kind: "done-before", candidate, isSettledElsewhere: true };
  }
}
