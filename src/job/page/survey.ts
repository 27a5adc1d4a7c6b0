/** Reads what a drain selects, or what the archive has of it, and decides each as a pass would. Changes nothing. */
import type { ArchivedLetters } from "../contracts/archive.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import type { UnusableRecord } from "../message/dead-letter.ts";
import { byHalves } from "../by-halves.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { listToEnd, toListing } from "../listing/list-to-end.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { toUnworkable } from "./put-aside.ts";
import { decideLetter } from "./decide-letter.ts";
import { idsOf, type Letter } from "./letter.ts";
import { recognise, see } from "./look-up.ts";
import { parsePage } from "./parse-page.ts";

/** The listed range: inclusive, Unix ms, as the service's dates mean it. */
export interface SurveyRange {
  readonly from: number;
  readonly to: number;
  /** Records that entered later are skipped, also if the dates mean creation; absent: no horizon. */
  readonly clock?: { readonly horizon: number };
}

export interface SurveyPage {
  readonly letters: readonly Letter[];
  readonly unusable: readonly UnusableRecord[];
  readonly readAt: number;
  readonly isLast: boolean;
}

/** Page by page, in the service's order. Throws a RedriverError of the service or the ledger, or `stopped`. */
export async function* survey(
  drain: DrainRuntime,
  range: SurveyRange,
  signals: ListingSignals,
): AsyncGenerator<SurveyPage, void, undefined> {
  const { source, config } = drain;
  const horizon = range.clock?.horizon ?? Infinity;
  const query = toListing(config, range);
  // A person waits for it and can stop it.
  const inTime = { ...signals, maxListingMs: Infinity };
  const { fromArchive } = drain;
  const pages =
    fromArchive === undefined ? listToEnd(source, query, inTime) : listArchived(source, fromArchive);
  for await (const { records, readAt, isLast } of pages) {
    const parts = await byHalves(
      records,
      async (some) => {
        const { letters, unusable, broken } = parsePage(some, source.lineageKeys());
        // Unless the dates are known to mean entry, records that have just failed are listed too.
        const within = letters.filter(({ enteredAt }) => enteredAt <= horizon);
        await decideAll(drain, within);
        return {
          letters: within,
          unusable: [...unusable, ...broken.map(({ error }) => toUnworkable(error))],
        };
      },
      (_, error) => Promise.resolve({ letters: [], unusable: [toUnworkable(error)] }),
    );
    const unusable = parts.flatMap((part) => part.unusable);
    yield { letters: parts.flatMap(({ letters }) => letters), unusable, readAt, isLast };
  }
}

async function* listArchived({ readAt }: SourceRuntime, { pages }: ArchivedLetters) {
  for await (const page of pages()) yield { ...page, readAt: await readAt() };
}

async function decideAll(drain: DrainRuntime, letters: readonly Letter[]): Promise<void> {
  if (letters.length === 0) return;
  const { ledger } = drain.source;
  await recognise(drain.source, letters);
  see(letters, await ledger.peek(idsOf(letters)), ledger.limits);
  if (drain.fromArchive !== undefined) remember(letters, drain.fromArchive);
  for (const letter of letters) decideLetter(drain, letter);
}

const publishedOnce: LedgerView = { state: "gone", at: 0 };
const mayBePublished: LedgerView = {
  state: "parked",
  reason: "outcome-unknown",
  drain: "" as DrainName,
  rulesHash: "",
  attempt: 0,
  suffix: 1,
};

/** The ledger forgets long before the archive does. What may have been published waits for a person. */
function remember(letters: readonly Letter[], { wasPublished }: ArchivedLetters): void {
  for (const letter of letters) {
    if (letter.view.state !== "absent") continue;
    const answer = wasPublished(letter.dlqId);
    if (answer === "yes") letter.view = publishedOnce;
    if (answer === "unknown") letter.view = mayBePublished;
  }
}
