import type { DeadLetter, DlqId } from "../message/dead-letter.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { postHorizonMs, type LedgerLimits } from "../contracts/ledger-limits.ts";
import type { Ledger, LedgerStamp } from "../contracts/ledger.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { idsOf, type FoundRecord, type KnownRecord } from "./records.ts";

/**
 * Asks the ledger what was done to each record. A come-back is evidence that its parent was published. In
 * live mode this evidence is written first, so that a forgotten parent on this or a later page is settled and
 * not republished.
 */
export async function lookUp(
  { config, source, workerLostAt }: DrainRuntime,
  found: readonly FoundRecord[],
): Promise<readonly KnownRecord[]> {
  if (found.length === 0) return [];
  const newComeBacks = config.mode === "live" ? await writeEvidence(source, found) : new Set<DlqId>();
  return asKnown(
    found,
    await source.ledger.look(idsOf(found), workerLostAt),
    source.ledger.limits,
    newComeBacks,
  );
}

export function asKnown(
  found: readonly FoundRecord[],
  { views, ...stamp }: Awaited<ReturnType<Ledger["peek"]>>,
  limits: LedgerLimits,
  newComeBacks: ReadonlySet<DlqId> = new Set(),
): readonly KnownRecord[] {
  return found.map((record, index) => {
    const view = views[index] ?? { state: "absent" };
    return {
      raw: record.raw,
      letter: record.letter,
      reading: record.reading,
      failure: record.failure,
      view,
      viewedAt: stamp.at,
      mayBeForgotten: mayBeForgotten(record.letter, view, stamp, limits),
      isNewComeBack: newComeBacks.has(record.letter.dlqId),
    };
  });
}

/** Writes the evidence. Answers the come-backs that name their parent for the first time. */
async function writeEvidence(
  { ledger, identities }: SourceRuntime,
  found: readonly FoundRecord[],
): Promise<ReadonlySet<DlqId>> {
  const comeBacks = found.flatMap(({ letter, reading }) =>
    reading.kind === "come-back" ? [{ letter, lineage: reading.lineage }] : [],
  );
  if (comeBacks.length === 0) return new Set();
  const common = { namedBy: identities.token(), deletePending: false, drain: null, messageId: null };
  const { verdicts } = await ledger.published(
    comeBacks.map(({ letter, lineage: { parentDlqId, attempt } }) => ({
      ...common,
      dlqId: parentDlqId,
      as: letter.messageId,
      attempt,
    })),
  );
  const isNew = (_: unknown, index: number): boolean => verdicts[index]?.firstNaming === true;
  return new Set(comeBacks.filter(isNew).map(({ letter }) => letter.dlqId));
}

/** The clocks of Redis and of the service may differ by this much unnoticed. */
const clockMarginMs = 60_000;

/**
 * True if this record may have been published before the ledger lost writes, and nothing can prove it any
 * more. That needs all three: it was in the queue by then, the ledger knows nothing newer than the loss, and
 * the service may have forgotten its deduplication id.
 *
 * A record that was published but not settled at the loss was published at or after `lost.since`. So until
 * postHorizon after that, every publish of such a record under its own id is a hit, which is proof.
 */
export function mayBeForgotten(
  { enteredAt }: Pick<DeadLetter, "enteredAt">,
  view: LedgerView,
  { at, lost }: Pick<LedgerStamp, "at" | "lost">,
  limits: LedgerLimits,
): boolean {
  if (lost === undefined || isRememberedSince(lost.at, view)) return false;
  if (enteredAt >= lost.at + clockMarginMs) return false;
  return at > lost.since + postHorizonMs(limits);
}

function isRememberedSince(lostAt: number, view: LedgerView): boolean {
  switch (view.state) {
    case "absent":
      return false;
    case "cool":
      // A release orders the attempt, whatever was forgotten.
      return view.released === "by-person" || view.firstAt >= lostAt;
    case "parked":
      return view.firstAt >= lostAt;
    case "open":
    case "published":
    case "archived":
    case "gone":
    case "other-version":
      return true;
  }
}
