/** One dead letter: what the ledger knows, the record and what it would become, and its history. */
import { z } from "zod";
import {
  openAuditReader,
  type DrainRuntime,
  recordIntent,
  findWithOneCall,
  type Core,
  type BuiltSource,
} from "../../../job/door.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { defined } from "../../../job/message/defined.ts";
import { readLineage } from "../../../job/message/lineage.ts";
import { parseRecord, toEnteredAt } from "../../../job/message/parse-record.ts";
import { createSelectMatcher } from "../../../job/message/select.ts";
import type { Show } from "../../../job/message/show-masked-values.ts";
import { isRedisAway, isRedriverError, RedriverError } from "../../../job/contracts/errors.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { LedgerView } from "../../../job/contracts/ledger-entries.ts";
import { chooseSource } from "../choose-drains.ts";
import { letterId, sourceId } from "../fields.ts";
import { readHostsOfKinds } from "../../read/read-failures.ts";
import { toHistoryRows, type HistoryRow } from "../history/rows.ts";
import { defineReading, open, time } from "../reading.ts";
import { explainNow } from "../rules/explain.ts";
import { toMaskedRecord } from "./masked-record.ts";

export type ReadMessage = NonNullable<Awaited<ReturnType<typeof readMessage>>>;

const messageAnswer = z.object({
  dlqId: z.string(),
  source: z.string(),
  enteredAt: time,
  expiresAt: time,
  ledger: open,
  record: z.union([open, z.string()]).describe("A text: why it was not found."),
  explanation: open
    .nullable()
    .describe("What the rules do with it, and the item that they would publish. Null: no drain selects it."),
  others: z.array(open).describe("What the rules of the other drains that select it do with it."),
});
export const messageRow: z.ZodType<ReadMessage> = z.custom<ReadMessage>().and(messageAnswer);

const notListed = "The queue does not list it where its id belongs, so it has most likely left the queue.";

/** False: neither the queue nor the ledger has it. The audit may. */
export function isKnown({ record, ledger }: Pick<ReadMessage, "record" | "ledger">): boolean {
  return record !== notListed || ledger.state !== "absent";
}

/** With one call of the service, also if that fails. Null: no such source, or no id. Throws `redis-unavailable`. */
export async function readMessage(
  core: Core,
  { source: id, dlqId, show }: { readonly source: string; readonly dlqId: string; readonly show: Show },
  signal: AbortSignal,
) {
  const found = find(core, id, dlqId);
  if (found === null) return null;
  const { source, enteredAt } = found;
  const { runtime } = source;
  const { views, at } = await runtime.ledger.peek([found.dlqId]);
  const ledger: LedgerView = views[0] ?? { state: "absent" };
  const record = await readRecord(found.dlqId, source, signal);
  const [drain = null, ...others] =
    typeof record === "string" ? [] : drainsOf(core, runtime.config.id, record, ledger);
  const explain = (one: DrainRuntime) =>
    explainNow(one, record as RawRecord, { view: ledger, viewedAt: at, show });
  return {
    dlqId: found.dlqId,
    source: runtime.config.id,
    enteredAt,
    expiresAt: enteredAt + runtime.config.retentionMs,
    ledger,
    /** As the service lists it, with its content; a text: why it was not found. */
    record,
    /** Null: it was not found, or no drain selects it. */
    explanation: drain && (await explain(drain)),
    /** Of the other drains that select it: whichever acts first has it. */
    others: (await Promise.all(others.map(explain))).map(
      ({ drain: name, mode, paused, decision, explanation }) => ({
        drain: name,
        mode,
        paused,
        decision,
        explanation,
      }),
    ),
  };
}

/** The same with its content. The audit has who asks and why before anything is read. */
export async function readContent(
  core: Core,
  { source: id, dlqId, by, reason }: Readonly<Record<"source" | "dlqId" | "by" | "reason", string>>,
  signal: AbortSignal,
): Promise<ReadMessage> {
  const found = find(core, id, dlqId);
  if (found === null) throw new RedriverError("not-found", "there is no such dead letter");
  const { runtime } = found.source;
  const host = await hostIfParked(found);
  await recordIntent({ ...runtime, by }, "show-content", [{ dlqId: found.dlqId, ...defined({ host }) }], {
    drain: null,
    why: reason,
  });
  const message = await readMessage(core, { source: id, dlqId, show: "content" }, signal);
  if (message === null || !isKnown(message)) {
    throw new RedriverError("not-found", "there is no such dead letter");
  }
  return message;
}

/** Of what is parked the ledger knows the kind of failure. The record itself is read after the audit has it. */
async function hostIfParked({
  source: { runtime },
  dlqId,
}: NonNullable<ReturnType<typeof find>>): Promise<string | undefined> {
  const [view] = (await runtime.ledger.peek([dlqId])).views;
  if (view?.state !== "parked" || view.failure === undefined) return undefined;
  return (await readHostsOfKinds(runtime)).get(view.failure);
}

export type MessageHistory = Awaited<ReturnType<typeof readMessageHistory>>;

/** Of the dead letter, those it came back from, and those that came back from it: rows, the newest first. Reads Redis alone. */
export async function readMessageHistory(
  core: Pick<Core, "redis" | "sources">,
  { source: id, dlqId, record }: Pick<ReadMessage, "source" | "dlqId" | "record">,
  maxRows: number,
) {
  const reader = await openAuditReader(core);
  const dlqIds = new Set(await reader.lineageOf(dlqId));
  // Until something is done to it, only its own record knows what it came back from.
  const parent = typeof record === "string" ? null : parentOf(core.sources.get(id), record);
  if (parent !== null && !dlqIds.has(parent)) {
    for (const one of await reader.lineageOf(parent)) dlqIds.add(one);
  }
  const rows: HistoryRow[] = [];
  for await (const entry of reader.read({ dlqIds, order: "newest-first" })) {
    rows.push(...toHistoryRows(entry));
    if (rows.length > maxRows) break;
  }
  return { rows: rows.slice(0, maxRows), isCut: rows.length > maxRows };
}

function find(core: Pick<Core, "sources">, id: string, dlqId: string) {
  const source = core.sources.get(id as SourceId);
  const enteredAt = toEnteredAt(dlqId);
  if (source === undefined || enteredAt === null) return null;
  return { source, enteredAt, dlqId: dlqId as DlqId };
}

async function readRecord(
  dlqId: DlqId,
  { runtime }: BuiltSource,
  signal: AbortSignal,
): Promise<RawRecord | string> {
  try {
    const record = await findWithOneCall(dlqId, { source: runtime, signal });
    return record ?? notListed;
  } catch (error) {
    if (!isRedriverError(error) || isRedisAway(error)) throw error;
    return `The service was not read (${error.code}: ${error.message}).`;
  }
}

/** Those that select it: first the one that parked or published it. */
function drainsOf(
  { drains }: Pick<Core, "drains">,
  source: SourceId,
  record: RawRecord,
  ledger: LedgerView,
): readonly DrainRuntime[] {
  const known = "drain" in ledger ? ledger.drain : null;
  const fitting = [...drains.values()].filter(
    ({ config }) => config.source.id === source && createSelectMatcher(config.select)(record),
  );
  const rankOf = ({ config }: DrainRuntime): number => (config.name === known ? 0 : 1);
  return fitting.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function parentOf(source: BuiltSource | undefined, record: RawRecord): string | null {
  const parsed = parseRecord(record);
  if (source === undefined || parsed.kind !== "letter") return null;
  const reading = readLineage(parsed.letter, source.runtime.lineageKeys());
  return reading.kind === "come-back" ? reading.lineage.parentDlqId : null;
}

export const messageReading = defineReading({
  path: "/messages/:id",
  summary:
    "One dead letter with masked values, what the ledger has of it, and what the rules do with it. One call of the service",
  needs: "rules",
  input: z.strictObject({ id: letterId, source: sourceId }),
  answer: messageAnswer,
  async run({ core, signal, input: { id: dlqId, source } }) {
    const found = await readMessage(
      core,
      { source: chooseSource(core, source), dlqId, show: "masked" },
      signal,
    );
    if (found === null || !isKnown(found)) {
      throw new RedriverError("not-found", "there is no such dead letter, or not any more");
    }
    const { record } = found;
    return { ...found, record: typeof record === "string" ? record : toMaskedRecord(record) };
  },
});
