import type { DeadLetter, MessageId, RawRecord } from "../message/dead-letter.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { postHorizonMs, type LedgerLimits } from "../contracts/ledger-limits.ts";
import type { Ledger, LedgerStamp } from "../contracts/ledger.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { lineageIn, type Lineage } from "../message/lineage.ts";
import { idsOf, type Letter } from "./letter.ts";

/** Writes that the parents of come-backs were published, so that none is sent again. Answers those that are new. */
export async function writeEvidence(
  { ledger, identities }: SourceRuntime,
  letters: readonly Letter[],
): Promise<readonly Letter[]> {
  const comeBacks: Letter[] = [];
  for (const letter of letters) if (letter.reading.kind === "come-back") comeBacks.push(letter);
  if (comeBacks.length === 0) return comeBacks;
  const common = { namedBy: identities.token(), deletePending: false, drain: null, messageId: null };
  const facts = comeBacks.flatMap(({ reading, messageId }) => {
    if (reading.kind !== "come-back") return [];
    const { parentDlqId, attempt } = reading.lineage;
    return [{ ...common, dlqId: parentDlqId, as: messageId, attempt }];
  });
  const { verdicts } = await ledger.published(facts);
  for (const [index, letter] of comeBacks.entries()) {
    const { firstNaming, failure, rule } = verdicts[index] ?? {};
    letter.isNewComeBack ||= firstNaming === true;
    letter.parentFailure ??= failure ?? null;
    letter.parentRule ??= rule ?? null;
  }
  return comeBacks.filter(({ isNewComeBack }) => isNewComeBack);
}

/**
 * By the ledger's lineages: what the service's own retry has published carries none, or that of an earlier redrive.
 */
export async function recognise(
  { config, ledger }: Pick<SourceRuntime, "config" | "ledger">,
  letters: readonly Pick<Letter, "messageId" | "readAs">[],
): Promise<void> {
  if (config.serviceRetry !== true || letters.length === 0) return;
  const { lineages } = await ledger.sentAs(letters.map(({ messageId }) => messageId));
  for (const [index, text] of lineages.entries()) letters[index]!.readAs(text ? lineageIn(text) : null);
}

/** That of one record as listed; null: none is kept. */
export async function lineageOf(
  source: Pick<SourceRuntime, "config" | "ledger">,
  { messageId }: RawRecord,
): Promise<Lineage | null> {
  let found: Lineage | null = null;
  const readAs = (lineage: Lineage | null): void => void (found = lineage);
  if (typeof messageId === "string") await recognise(source, [{ messageId: messageId as MessageId, readAs }]);
  return found;
}

export async function lookUp({ source, workerLostAt }: DrainRuntime, letters: readonly Letter[]) {
  if (letters.length === 0) return;
  see(letters, await source.ledger.look(idsOf(letters), workerLostAt), source.ledger.limits);
}

export function see(
  letters: readonly Letter[],
  { views, ...stamp }: Awaited<ReturnType<Ledger["peek"]>>,
  limits: LedgerLimits,
): void {
  const later = { ...stamp, at: Infinity };
  const lookedUp = [{ epoch: stamp.epoch, sequence: stamp.sequence }];
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters[index]!;
    const view = views[index];
    letter.lookedUp = lookedUp;
    if (view !== undefined) letter.view = view;
    letter.viewedAt = stamp.at;
    letter.mayBeForgotten = mayBeForgotten(letter, letter.view, stamp, limits);
    letter.restsOnFirstId =
      !letter.mayBeForgotten &&
      letter.view.state !== "open" &&
      mayBeForgotten(letter, letter.view, later, limits);
  }
}

/** The clocks of Redis and of the service may differ by this much unnoticed. */
const clockMarginMs = 60_000;

/**
 * True if this record may have been published before the ledger lost writes, and nothing can prove it any more: it
 * was in the queue by then, the ledger knows nothing newer, and the service may have forgotten its deduplication
 * id.
 *
 * A record that was not settled at the loss was published at or after `lost.since`. Until postHorizon after that,
 * its publish under the first id is a hit, which is proof. A refusal since ends that: the next publish has a later
 * id.
 */
export function mayBeForgotten(
  { enteredAt }: Pick<DeadLetter, "enteredAt">,
  view: LedgerView,
  { at, lost }: Pick<LedgerStamp, "at" | "lost">,
  limits: LedgerLimits,
): boolean {
  if (lost === undefined || enteredAt >= lost.at + clockMarginMs) return false;
  const hitsUntil = lost.since + postHorizonMs(limits);
  if (isRememberedSince(lost.at, hitsUntil, view)) return false;
  const hasLaterId = (view.state === "cool" || view.state === "parked") && view.suffix > 1;
  return hasLaterId || at > hitsUntil;
}

/** What was not sent, refused or parked since the loss proves nothing about before it. */
function isRememberedSince(lostAt: number, hitsUntil: number, view: LedgerView): boolean {
  if (view.state === "absent" || view.state === "parked") return false;
  // A release orders the attempt, whatever was forgotten before it.
  if (view.state === "cool") return view.released === "by-person" && view.dueAt >= lostAt;
  // Begun earlier, its POST in doubt relies on a hit that comes no more. Begun later, the policy has decided.
  return view.state !== "open" || view.series.firstAt > Math.max(lostAt, hitsUntil);
}
