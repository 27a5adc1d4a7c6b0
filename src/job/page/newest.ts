/**
 * The newest letter of each schedule, or of each value that a rule compares by. The whole range is listed once before
 * its letters are decided: all that is newer than one of them is in it. Each process lists for itself and writes
 * nothing down, so a lost worker leaves nothing behind.
 *
 * A newer letter that was published, dropped or deleted since still makes the older one out of date. So no second look
 * is taken before a drop.
 */
import { createHash } from "node:crypto";
import { byHalves } from "../by-halves.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { listToEnd } from "../listing/list-to-end.ts";
import type { DlqId } from "../message/dead-letter.ts";
import type { FindNewer } from "../rules/record-facts.ts";
import { Subject } from "../rules/subject.ts";
import type { DrainRuntime } from "../runtime.ts";
import { parsePage } from "./parse-page.ts";
import type { SurveyRange } from "./survey.ts";

/** 150 bytes each, so 30 MB. Letters of further values are not known, and count as not superseded. */
export const maxValues = 200_000;

export interface NewestRange extends SurveyRange {
  /** Moments and letters that are passed over, because they ended their workers. */
  readonly unlistable?: readonly number[];
  readonly unworkable?: ReadonlySet<unknown>;
  readonly maxValues?: number;
  readonly onPage?: () => Promise<void>;
}

/**
 * The drain with what it must know of newer letters in this range; itself if no rule asks. Throws as a listing does.
 * `share`: lists, or takes what was listed before. Absent: a person waits for it, for any time.
 */
export async function withNewer(
  drain: DrainRuntime,
  range: NewestRange,
  signals: ListingSignals,
  share?: (list: () => Promise<FindNewer>) => Promise<FindNewer>,
): Promise<DrainRuntime> {
  if (drain.config.route.comparesBy.length === 0 || drain.discard !== undefined) return drain;
  const list = (of: ListingSignals) => findNewest(drain, range, of);
  const newer =
    share === undefined ? list({ ...signals, maxListingMs: Infinity }) : share(() => list(signals));
  return { ...drain, newer: await newer };
}

async function findNewest(
  { source, config }: DrainRuntime,
  range: NewestRange,
  signals: ListingSignals,
): Promise<FindNewer> {
  const { from, to, unlistable = [], unworkable, onPage } = range;
  const newest = createNewest(range.maxValues ?? maxValues);
  const query = { select: config.select, ...(from > 0 ? { fromDate: from } : {}), toDate: to };
  for await (const { records } of listToEnd(source, query, signals, unlistable)) {
    const known = records.filter(({ dlqId }) => unworkable?.has(dlqId) !== true);
    await byHalves(
      known,
      (some) => {
        for (const { content } of parsePage(some, source.lineageKeys()).letters) {
          if (content.enteredAt > (range.clock?.horizon ?? Infinity)) continue;
          const none = { now: 0, attempt: 0, rootCreatedAt: 0, expiresAt: 0 };
          const subject = new Subject({ letter: content, ...none });
          for (const pointer of config.route.comparesBy) {
            newest.add(content.dlqId, pointer, subject.compared(pointer));
          }
        }
        return Promise.resolve();
      },
      // Its page parks what cannot be read.
      () => Promise.resolve(),
    );
    await onPage?.();
  }
  const unknown = newest.unknown();
  if (unknown > 0) source.events.emit({ type: "newest:limited", drain: config.name, letters: unknown });
  return newest.find;
}

export function createNewest(limit: number) {
  const byValue = new Map<string, DlqId>();
  let unknown = 0;
  return {
    add(dlqId: DlqId, pointer: string | null, value: string | undefined): void {
      if (value === undefined) return;
      const key = keyOf(pointer, value);
      const known = byValue.get(key);
      if (known === undefined && byValue.size >= limit) unknown += 1;
      else if (known === undefined || compareIds(known, dlqId) < 0) byValue.set(key, dlqId);
    },
    find: ((letter, pointer, value) => {
      const known = value === undefined ? undefined : byValue.get(keyOf(pointer, value));
      return known !== undefined && compareIds(letter, known) < 0 ? known : null;
    }) satisfies FindNewer,
    /** Letters whose value found no room. */
    unknown: () => unknown,
  };
}

/** 96 bits: a chance of 1 in 10^18 that two of all values share one. */
function keyOf(pointer: string | null, value: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([pointer, value]))
    .digest();
  return digest.toString("latin1", 0, 12);
}

/** By milliseconds, then by counter. */
function compareIds(one: DlqId, other: DlqId): number {
  const [oneMs = 0, oneCount = 0] = one.split("-").map(Number);
  const [otherMs = 0, otherCount = 0] = other.split("-").map(Number);
  return oneMs - otherMs || oneCount - otherCount;
}
