import { byHalves } from "../by-halves.ts";
import type { Origin } from "../contracts/lanes.ts";
import type { DlqId } from "../message/dead-letter.ts";
import { laneOriginOfLetter } from "../message/destination-url.ts";
import { listToEnd, type ListingRange } from "../listing/list-to-end.ts";
import type { Letter } from "../page/letter.ts";
import { recognise } from "../page/look-up.ts";
import { toEnteredAt } from "../message/parse-record.ts";
import { parsePage } from "../page/parse-page.ts";
import type { SourceRuntime } from "../runtime.ts";
import { toLaneComeBack } from "./come-back-from-record.ts";

/** Limit of an early look. The last one of a watch is read to its end: no pass costs less. */
const maxPagesEarly = 50;

/** What `toFound` makes of the dead letters that entered in a time. Null: an early look did not read to the end. */
export async function comeBacksIn<Found>(
  source: SourceRuntime,
  // Also if the service's dates mean creation: come-backs were created when they were published.
  range: Pick<ListingRange, "fromDate" | "toDate">,
  isLast: boolean,
  signal: AbortSignal,
  toFound: (letter: Letter) => readonly Found[],
): Promise<readonly Found[] | null> {
  const found: Found[] = [];
  let pages = 0;
  for await (const page of listToEnd(source, { select: {}, ...range }, { signal, stopping: signal })) {
    // One record that nobody can read hides at most one come-back; a wait would keep the lane for ever.
    if (page.passedOver !== null) continue;
    const ofPage = await byHalves(
      page.records,
      async (some) => {
        const { letters } = parsePage(some, source.lineageKeys());
        await recognise(source, letters);
        return letters.flatMap(toFound);
      },
      // One that no page gets through hides at most one come-back as well.
      () => Promise.resolve([]),
    );
    found.push(...ofPage.flat());
    pages += 1;
    if (!isLast && pages === maxPagesEarly && !page.isLast) return null;
  }
  return found;
}

export interface FoundComeBack {
  readonly parentDlqId: DlqId;
  readonly origin: Origin | null;
  readonly status: number;
  /** `FailureKind.id` under which it came back. */
  readonly kind: string;
  /** When it entered, Unix ms by the service's clock; null: its id does not say. */
  readonly at: number | null;
}

/** The come-backs of messages that `isWanted`. Null as above. Their lanes learn of all that it met. */
export async function findComeBacks(
  source: SourceRuntime,
  fromDate: number,
  isLast: boolean,
  signal: AbortSignal,
  isWanted: (parentDlqId: DlqId) => boolean,
): Promise<readonly FoundComeBack[] | null> {
  const found = await comeBacksIn(source, { fromDate }, isLast, signal, (letter) => {
    const { reading, content, failure, responseStatus: status = 0, dlqId } = letter;
    if (reading.kind !== "come-back") return [];
    const { parentDlqId } = reading.lineage;
    const at = toEnteredAt(dlqId);
    const of = { parentDlqId, origin: laneOriginOfLetter(content), status, kind: failure.id, at };
    return [{ of: isWanted(parentDlqId) ? of : null, ofLane: toLaneComeBack(letter) }];
  });
  if (found === null) return null;
  await source.lanes.recordComeBacks(found.flatMap(({ ofLane }) => ofLane));
  return found.flatMap(({ of }) => of ?? []);
}
