/**
 * The newest letter of each schedule, or of each value that a rule compares by: the whole range is listed once
 * before its letters are decided. Each process lists for itself and writes nothing down, so a lost worker leaves
 * nothing behind. A newer letter that is gone since still makes the older one out of date, so a drop takes no
 * second look.
 */
import { createHash } from "node:crypto";
import type { DrainName } from "../contracts/ids.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { listToEnd, toListing } from "../listing/list-to-end.ts";
import type { DlqId } from "../message/dead-letter.ts";
import { compareDlqIds } from "../message/message-ids.ts";
import type { FindNewer } from "../rules/record-facts.ts";
import { Subject } from "../rules/subject.ts";
import type { DrainRuntime, NewestOfPass } from "../runtime.ts";
import { parsePage } from "./parse-page.ts";
import type { SurveyRange } from "./survey.ts";

/** 150 bytes each, so 30 MB. Letters of further values are not known, and count as not superseded. */
const maxValues = 200_000;

export interface NewestRange extends SurveyRange {
  /** Its windows share one listing in each process. Absent: a person waits for it, for any time. */
  readonly pass?: string;
  readonly unlistable?: readonly number[];
  readonly unworkable?: ReadonlySet<unknown>;
  readonly onPage?: () => Promise<void>;
}

/** The drain with what it must know of newer letters in this range; itself if no rule asks. Throws as a listing does. */
export async function withNewer(
  drain: DrainRuntime,
  { pass, ...range }: NewestRange,
  signals: ListingSignals,
): Promise<DrainRuntime> {
  const { source, config, discard } = drain;
  if (config.route.comparesBy.length === 0 || discard !== undefined) return drain;
  const list = (of: ListingSignals) => findNewest(drain, range, of);
  if (pass === undefined) return { ...drain, newer: await list({ ...signals, maxListingMs: Infinity }) };
  const of = { pass, from: range.from };
  return { ...drain, newer: await shareNewest(source.newestOfPasses, config.name, of, () => list(signals)) };
}

export async function shareNewest(
  known: Map<DrainName, NewestOfPass>,
  drain: DrainName,
  of: Pick<NewestOfPass, "pass" | "from">,
  list: () => Promise<FindNewer>,
): Promise<FindNewer> {
  for (;;) {
    const before = known.get(drain);
    if (before?.pass !== of.pass || before.from > of.from) break;
    const found = await before.newer.catch(() => null);
    if (found !== null) return found;
    // The stop of another window has ended its listing, or it failed: this one lists for itself.
    if (known.get(drain) === before) known.delete(drain);
  }
  const newer = list();
  known.set(drain, { ...of, newer });
  return newer;
}

async function findNewest({ source, config }: DrainRuntime, range: NewestRange, signals: ListingSignals) {
  const newest = createNewest(maxValues);
  for await (const { records } of listToEnd(source, toListing(config, range), signals, range.unlistable)) {
    const known = records.filter(({ dlqId }) => range.unworkable?.has(dlqId) !== true);
    for (const { content } of parsePage(known, source.lineageKeys()).letters) {
      if (content.enteredAt > (range.clock?.horizon ?? Infinity)) continue;
      const subject = new Subject({ letter: content, now: 0, attempt: 0, rootCreatedAt: 0, expiresAt: 0 });
      for (const pointer of config.route.comparesBy) {
        newest.add(content.dlqId, pointer, subject.compared(pointer));
      }
    }
    await range.onPage?.();
  }
  const letters = newest.unknown();
  if (letters > 0) source.events.emit({ type: "newest:limited", drain: config.name, letters });
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
      else if (known === undefined || compareDlqIds(known, dlqId) < 0) byValue.set(key, dlqId);
    },
    find: ((letter, pointer, value) => {
      const known = value === undefined ? undefined : byValue.get(keyOf(pointer, value));
      return known !== undefined && compareDlqIds(letter, known) < 0 ? known : null;
    }) satisfies FindNewer,
    unknown: () => unknown,
  };
}

/** 96 bits: a chance of 1 in 10^18 that two of all values share one. */
function keyOf(pointer: string | null, value: string): string {
  const text = JSON.stringify([pointer, value]);
  return createHash("sha256").update(text).digest().toString("latin1", 0, 12);
}
