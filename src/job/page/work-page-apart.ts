/**
 * A record that breaks the work of its page, where every record has been read, decided and acted on in vain:
 *
 *   page ─► its stages ─┬─ ended ──► its outcome
 *                       └─ broke ──► each half again ─► … ─► alone ─┬─► parked: unworkable, with the error's code
 *                                                                   └─► held: unworkable, if that fails too
 *
 * Working a half again is safe, because the ledger knows what the failed try has begun: such letters are in
 * flight until it is their turn again, after 60 s at most. Its grants are lost: rates have room again within
 * seconds, and ceilings count them. A record found once is worked alone from then on, so that it breaks no
 * other page, and goes on once it can.
 */
import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import { toEnteredAt } from "../message/parse-record.ts";
import { addTallies, emptyTally } from "../contracts/tally.ts";
import { byHalves, inHalves, isOfInput } from "../by-halves.ts";
import { createFailureTally, type FailureTally } from "../failures/count-failures.ts";
import { findRecords } from "../listing/find-records.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { PageOutcome } from "./page-report.ts";
import { putRecordAside } from "./put-aside.ts";
import type { Page } from "./letter.ts";
import { workPage, type PageWork } from "./work-page.ts";

/** GETs for the records of a page that broke after its records were let go. */
const maxCalls = 20;
const searchedForMs = 30_000;

/** Works a page as `workPage` does. Throws only what no record of it has caused. */
export async function workPageApart(
  drain: DrainRuntime,
  page: Page,
  signal: AbortSignal,
  given: PageWork = {},
): Promise<PageOutcome> {
  const { unworkable } = drain.source;
  const { failures = createFailureTally(), batches: _batches, onDecided, ...common } = given;
  const suspects = page.records.filter(unworkable.isSuspect);
  const others = suspects.length === 0 ? [] : page.records.filter((one) => !unworkable.isSuspect(one));
  // The caller lets go of its records once they are decided.
  const ids = page.records.map(({ dlqId }) => dlqId);
  let failedWith: unknown = null;
  if (suspects.length === 0) {
    try {
      const outcome = await workPage(drain, page, signal, { ...given, failures });
      unworkable.worked();
      return outcome;
    } catch (error) {
      if (!isOfInput(error)) throw error;
      failedWith = error;
      failures.clear();
    }
  }
  const work = (readAt: number) => async (records: readonly RawRecord[]) => {
    const apart = { ...common, failures: createFailureTally() };
    const outcome = await workPage(drain, { ...page, records, readAt }, signal, apart);
    if (records.length > 0) unworkable.worked();
    return outcome;
  };
  const alone = (readAt: number) => (record: RawRecord, error: unknown) =>
    putRecordAside(drain, record, readAt, error);
  const { readAt } = page;
  const outcomes: PageOutcome[] = [];
  if (suspects.length > 0) {
    onDecided?.();
    outcomes.push(...(await byHalves(others, work(readAt), alone(readAt))));
    for (const one of suspects) outcomes.push(...(await byHalves([one], work(readAt), alone(readAt))));
  } else if (page.records.length > 0) {
    outcomes.push(...(await inHalves(page.records, failedWith, work(readAt), alone(readAt))));
  } else {
    for await (const found of findAgain(drain, ids, signal)) {
      outcomes.push(...(await byHalves(found.records, work(found.readAt), alone(found.readAt))));
    }
  }
  return together(outcomes, failures);
}

/** Those of a page that are still there. */
function findAgain({ source }: DrainRuntime, ids: readonly unknown[], signal: AbortSignal) {
  const wanted = ids.flatMap((dlqId) =>
    typeof dlqId === "string" && toEnteredAt(dlqId) !== null
      ? [{ dlqId: dlqId as DlqId, messageId: null }]
      : [],
  );
  const budget = {
    callsLeft: maxCalls,
    endsAt: source.clock.monotonic() + searchedForMs,
    waits: { leftMs: searchedForMs, signal },
    dates: { isPassed: false },
  };
  return findRecords(source, wanted, budget, signal);
}

function together(outcomes: readonly PageOutcome[], failures: FailureTally): PageOutcome {
  for (const one of outcomes) failures.merge(one.failures);
  return {
    tally: { ...outcomes.map(({ tally }) => tally).reduce(addTallies, emptyTally), pages: 1 },
    left: outcomes.flatMap(({ left }) => left),
    acted: outcomes.flatMap(({ acted }) => acted),
    failures,
    mayHaveDeleted: outcomes.some(({ mayHaveDeleted }) => mayHaveDeleted),
  };
}
