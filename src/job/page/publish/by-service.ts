/**
 * A publish by the service's own retry (`via: service`): a letter a call, which the service publishes and takes
 * out of the DLQ in one step.
 *
 *   begin, audit ─► POST ─┬─ 201 ─────────► published, and its lineage is kept under the new message's id
 *                         ├─ 404, a hit ──► looked up ─┬─ gone, after a POST of ours in doubt ─► published as we do not know what
 *                         │                            ├─ gone ─► somebody else's act
 *                         │                            └─ listed ─► the service has no such endpoint, or took nothing
 *                         └─ all else ────► as a batch of one (publish.ts)
 */
import { defined } from "../../message/defined.ts";
import type { AuditRecord } from "../../contracts/audit.ts";
import { unlessRedisAway } from "../../contracts/errors.ts";
import type { Token } from "../../contracts/ids.ts";
import type { PublishedFact } from "../../contracts/ledger.ts";
import { serviceNow } from "../../contracts/service.ts";
import type { DlqId, MessageId } from "../../message/dead-letter.ts";
import { findRecords } from "../../listing/find-records.ts";
import { ofDrain, recordFact } from "../../write-audit.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { leaveInDoubt } from "../fate.ts";
import { parentOf, type Begun, type Letter } from "../letter.ts";
import { letCool } from "./let-cool.ts";
import type { PublishContext } from "./publish-context.ts";

/** GETs to look one record up. */
const listings = 10;
const lookUpForMs = 10_000;
/** A hit: the service remembers another message of that id for as long. */
const hitCoolMs = 10 * 60_000;

/**
 * The service published nothing by this call. `is404`: it may not even have the endpoint. A 404 of one that has
 * taken a message, after a POST of ours in doubt, needs no listing: the id is gone.
 */
export async function concludeNotTaken(
  context: PublishContext,
  token: Token,
  one: Begun,
  error: string,
  is404: boolean,
): Promise<void> {
  const { drain } = context;
  const { clock, serviceRetry } = drain.source;
  const { letter, series } = one;
  const until = clock.now();
  const isInDoubt = series.posts - series.refusals > 1;
  const found = is404 && isInDoubt && serviceRetry.isProven() ? "absent" : await lookUpOne(context, letter);
  if (found === "unknown") return leaveInDoubt(letter);
  if (found === "listed") {
    const refused = { outcome: "refused", until: until + hitCoolMs } as const;
    if (!is404) return letCool(context, token, [one], "refused-alone", refused);
    if (serviceRetry.isProven()) return letCool(context, token, [one], "not-sent");
    serviceRetry.switchOff(error);
    return letCool(context, token, [one], "no-service-retry", { until });
  }
  if (!isInDoubt) {
    await letCool(context, token, [one], "not-sent", { until });
    letter.fate = { kind: "done-before", isSettledElsewhere: true };
    return;
  }
  const { dlqId, messageId, lineage, decision, enteredAt } = letter;
  const waitedMs = Math.max(0, serviceNow(drain.source) - enteredAt);
  const { attempt } = lineage;
  const of = { rule: decision.rule, host: letter.due.host, ...parentOf(letter) };
  await recordLeft(drain, [{ dlqId, messageId, attempt, waitedMs, of }]);
  letter.fate = {
    kind: "published",
    deduplicated: false,
    isOfNow: true,
    isDeleteAudited: false,
    isGone: true,
  };
}

async function lookUpOne(
  { drain: { source }, signal }: PublishContext,
  { dlqId, messageId }: Letter,
): Promise<"listed" | "absent" | "unknown"> {
  const budget = {
    callsLeft: listings,
    endsAt: source.clock.monotonic() + lookUpForMs,
    waits: { leftMs: lookUpForMs, signal },
    dates: { isPassed: false },
  };
  for await (const { records, absent } of findRecords(source, [{ dlqId, messageId }], budget, signal)) {
    if (records.some((record) => record["dlqId"] === dlqId)) return "listed";
    if (absent.includes(dlqId)) return "absent";
  }
  return "unknown";
}

/** A record that the service's own retry took out of the DLQ without an answer. */
export interface Left {
  readonly dlqId: DlqId;
  /** Its own, not that of the message that it was published as. */
  readonly messageId: MessageId;
  /** Redrives, this one included. */
  readonly attempt: number;
  readonly waitedMs: number;
  readonly of: Pick<AuditRecord, "rule" | "host" | "parent">;
}

/** Writes that they were published, as nobody knows what: their come-backs will count as new messages. */
export async function recordLeft(drain: DrainRuntime, left: readonly Left[]): Promise<void> {
  if (left.length === 0) return;
  const { source, config } = drain;
  const facts = left.map(({ dlqId, messageId, attempt }): PublishedFact => {
    return { dlqId, messageId, attempt, as: null, deletePending: false, drain: config.name };
  });
  const written = await unlessRedisAway(() => source.ledger.published(facts), null);
  if (written === null) source.unwritten.keep(facts);
  const notes = ["message-unknown"];
  const entries = left.map(({ dlqId, attempt, of }) => ({ dlqId, attempt, notes, ...defined(of) }));
  await recordFact(source, "published", entries, ofDrain(drain));
  const records = left.map(({ dlqId, attempt, waitedMs }) => {
    return { dlqId, messageId: null, deduplicated: false, attempt, canary: false, waitedMs };
  });
  source.events.emit({ type: "record:published", drain: config.name, source: source.config.id, records });
}
