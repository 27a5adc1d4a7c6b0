/** The end of a record that breaks whatever works it: parked as `unworkable`, or held if that breaks too. */
import type { DlqId, RawRecord, UnusableRecord } from "../message/dead-letter.ts";
import { hostOf } from "../message/destination-url.ts";
import { enteredAtOf } from "../message/parse-record.ts";
import { toFailure } from "../contracts/errors.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { isOfInput } from "../by-halves.ts";
import type { FailureTally } from "../failures/count-failures.ts";
import type { DrainRuntime } from "../runtime.ts";
import { createPageReport, type PageOutcome, type PageReport } from "./page-report.ts";
import { writeParked } from "./park.ts";
import { hold } from "./fate.ts";
import type { Letter } from "./letter.ts";

/** A record that no worker gets through, on a page of its own. `note`: for the audit. */
export async function putRecordAside(
  drain: DrainRuntime,
  raw: RawRecord,
  readAt: number,
  error: unknown,
  { note, failures }: { readonly note: string; readonly failures?: FailureTally },
): Promise<PageOutcome> {
  const report = createPageReport(drain, failures);
  await putAside(drain, report, raw, readAt, error, note);
  return report.outcome();
}

export async function putAside(
  drain: DrainRuntime,
  report: PageReport,
  raw: RawRecord,
  readAt: number,
  error: unknown,
  note: string = toFailure(error).code,
): Promise<void> {
  const { dlqId, url } = raw;
  const enteredAt = enteredAtOf(raw);
  if (enteredAt === null) return report.unusable([{ ...toUnworkable(error), raw }]);
  const id = dlqId as DlqId;
  const host = typeof url === "string" ? hostOf(url.toWellFormed()) : undefined;
  const view = await viewOf(drain, id);
  const decision = await parkAlone(drain, { id, view, host, readAt, note }, error);
  report.apart({ dlqId: id, enteredAt, raw }, decision, view.state === "parked");
}

/** Of a record that is only read, or that nothing can be written about. */
export function toUnworkable(error: unknown): UnusableRecord {
  return { reason: "unworkable", problem: `it cannot be worked (${toFailure(error).code})` };
}

/** A single letter that breaks a stage. One with a fate keeps it. */
export async function putLetterAside(drain: DrainRuntime, letter: Letter, readAt: number, error: unknown) {
  const { dlqId: id, host } = letter;
  if (letter.fate !== null) {
    if (drain.source.unworkable.add(id).isNew) reportUnworkable(drain, id, error);
    return;
  }
  if (letter.viewedAt === 0) letter.view = await viewOf(drain, id);
  const found = { id, view: letter.view, host, readAt, note: toFailure(error).code };
  const decision = await parkAlone(drain, found, error);
  if (decision.then === "park") letter.fate = { kind: "parked", decision };
  else hold(letter, "unworkable");
}

async function viewOf({ source }: DrainRuntime, dlqId: DlqId): Promise<LedgerView> {
  const known = await unlessBroken(() => source.ledger.peek([dlqId]));
  return known?.views[0] ?? { state: "absent" };
}

interface Found {
  readonly id: DlqId;
  readonly view: LedgerView;
  readonly host: string | undefined;
  readonly readAt: number;
  readonly note: string;
}

async function parkAlone(drain: DrainRuntime, { id, view, host, readAt, note }: Found, error: unknown) {
  const { source, config } = drain;
  const { isNew, mayPark } = source.unworkable.add(id);
  const parked = { then: "park", reason: "unworkable", rule: null } as const;
  if (view.state === "parked") return { ...parked, reason: view.reason };
  if (isNew) reportUnworkable(drain, id, error);
  if (config.mode !== "live") return parked;
  const attempt = "attempt" in view ? view.attempt : 0;
  const parking = { dlqId: id, reason: "unworkable", rule: null, attempt, notes: [note] } as const;
  const verdicts = mayPark
    ? await unlessBroken(() =>
        writeParked(drain, [host === undefined ? parking : { ...parking, host }], { seenAt: readAt }),
      )
    : undefined;
  return verdicts?.[0]?.kind === "parked" ? parked : ({ ...parked, then: "hold" } as const);
}

export function reportUnworkable({ config, source }: DrainRuntime, dlqId: DlqId, error: unknown): void {
  const of = { drain: config.name, source: source.config.id, dlqId };
  source.events.emit({ type: "record:unworkable", ...of, ...toFailure(error) });
}

async function unlessBroken<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isOfInput(error)) throw error;
    return undefined;
  }
}
