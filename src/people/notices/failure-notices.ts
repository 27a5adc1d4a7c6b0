import type { NoticeItem } from "../../job/contracts/notices.ts";
import type { DrainName } from "../../job/contracts/ids.ts";
import { toAnswerText } from "../read/answer-text.ts";
import type { NoticeFacts } from "./notice-facts.ts";

export interface ToldFailure {
  readonly arrived: number;
  /** Of these, before it was new (again). */
  readonly base: number;
  /** Entry of its latest, Unix ms; 0: unknown. */
  readonly lastAt: number;
  readonly told: boolean;
  /** A person did not want to hear of it. */
  readonly quiet?: true;
  readonly owned?: true;
}

export type FailureMemory = Readonly<Record<string, ToldFailure>>;

/** Fewer are no pattern yet. */
const manyArrived = 10;
/** A kind that was silent for so long is new if it comes again. */
const silentMs = 7 * 86_400_000;
/** At the first evaluation, kinds that were met before this are no news: `notify` was added later. */
const freshMs = 10 * 60_000;

/**
 * Kinds of failure that reached ten arrivals. A quiet one says nothing, and speaks when its quiet ends: it has
 * changed, or the time is over. One that somebody works on says nothing either. Afterwards it begins anew. `before` is null at the first evaluation.
 */
export function toFailureNotices(
  before: FailureMemory | null,
  facts: NoticeFacts,
  now: number,
): { readonly items: readonly NoticeItem[]; readonly after: FailureMemory } {
  const items: NoticeItem[] = [];
  const after: Record<string, ToldFailure> = {};
  for (const [id, { arrived, lastAt, drain, isLeast }] of byKind(facts)) {
    const kind = facts.kinds.get(id);
    if (kind === undefined) continue;
    const isQuiet = facts.quiet.has(id);
    const isOwned = facts.owned.has(id);
    const known: ToldFailure = before?.[id] ?? {
      arrived: 0,
      base: 0,
      lastAt: 0,
      told: before === null && kind.firstMetAt < now - freshMs,
    };
    const isSilent = known.lastAt > 0 && lastAt - known.lastAt > silentMs;
    const isBack = isSilent || (known.owned === true && !isOwned);
    // Counts fall if Redis loses them.
    const base = Math.min(isBack ? known.arrived : known.base, arrived);
    const speaksAgain = known.quiet === true && !isQuiet;
    let told = known.told && !isBack && !speaksAgain;
    if (!told && !isQuiet && !isOwned && arrived - base >= manyArrived) {
      const { origin: destination } = kind;
      const item = { drain, destination, cause: toAnswerText(kind), failure: id, count: arrived - base };
      items.push(isLeast ? { ...item, figures: { atLeast: 1 } } : item);
      told = true;
    }
    after[id] = {
      arrived,
      base,
      lastAt: Math.max(lastAt, known.lastAt),
      told,
      ...(isQuiet && { quiet: true }),
      ...(isOwned && { owned: true }),
    };
  }
  return { items, after };
}

/** `isLeast`: more may have arrived, as a first listing goes on. */
interface Arrivals extends Readonly<Record<"arrived" | "lastAt" | "most", number>> {
  readonly drain: DrainName;
  readonly isLeast: boolean;
}

/** Of all drains, each record once; the drain that has most of it. */
function byKind({ drains }: NoticeFacts) {
  const all = new Map<string, Arrivals>();
  for (const { drain, failures, isFirstListing } of drains) {
    for (const { id, arrived, lastArrivedAt, again } of failures) {
      const known = all.get(id);
      all.set(id, {
        arrived: (known?.arrived ?? 0) + arrived - (again?.arrived ?? 0),
        ...(known === undefined || arrived > known.most
          ? { drain, most: arrived }
          : { drain: known.drain, most: known.most }),
        lastAt: Math.max(known?.lastAt ?? 0, lastArrivedAt ?? 0),
        isLeast: known?.isLeast === true || isFirstListing,
      });
    }
  }
  return all;
}
