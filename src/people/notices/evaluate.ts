import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { SourceId } from "../../job/contracts/ids.ts";
import type { AddressedNotice, NoticeBook } from "../../job/contracts/notices.ts";
import { minDigestGapMs, toDigestBase, toDigestItem } from "./digest.ts";
import { dropNotices, giveUpAfterMs } from "./drop-notices.ts";
import { narrowToTarget, wantsSource } from "./narrow-to-target.ts";
import type { NoticeFacts } from "./notice-facts.ts";
import { toNotice, toNotices, type NoticeMemory } from "./to-notices.ts";

export interface NoticeParts {
  readonly books: ReadonlyMap<SourceId, NoticeBook<NoticeMemory>>;
  readonly targets: readonly NotifyTarget[];
  /** Of every source, as they are when it is called. */
  readonly readFacts: () => Promise<ReadonlyMap<SourceId, NoticeFacts>>;
  readonly events: Events;
  readonly now: number;
}

/**
 * Compares the facts with what was told, and writes down what is news. Answers the targets that something waits
 * for. May run in several replicas at once: of those, one writes. Facts are read after the memory that they are
 * compared with, so that no older facts replace it.
 */
export async function evaluateNotices(parts: NoticeParts): Promise<ReadonlySet<string>> {
  const { books, targets, readFacts, events, now } = parts;
  const read = [...books].map(async ([source, book]) => [source, await book.read()] as const);
  const states = new Map(await Promise.all(read));
  const factsOf = await readFacts();
  const pending = new Set<string>();
  for (const [source, book] of books) {
    const state = states.get(source);
    const facts = factsOf.get(source);
    if (state === undefined || facts === undefined) continue;
    for (const target of state.pending) pending.add(target);
    await startDigests(state.digests, facts, source, parts);
    const { news, after } = toNotices(state.memory, facts, now);
    const notices = targets.flatMap((target): AddressedNotice[] =>
      narrowToTarget(news, source, target).map(([event, items], index) => ({
        target: target.name,
        notice: toNotice(event, items, { source, at: now, number: `${state.version}-${index}` }),
      })),
    );
    if (notices.length === 0 && JSON.stringify(state.memory) === JSON.stringify(after)) continue;
    const verdict = await book.replace(state.version, after, notices);
    if (verdict.kind === "changed") continue;
    for (const { target } of notices) pending.add(target);
    const leftOut = notices.slice(notices.length - verdict.leftOut);
    for (const { target, notice } of leftOut) {
      events.emit({ type: "notice:dropped", target, notices: [notice], why: "too many wait" });
    }
  }
  return forgetUnknown(pending, parts);
}

/** A target's first digest counts from when it was named. */
async function startDigests(
  known: readonly string[],
  facts: NoticeFacts,
  source: SourceId,
  { books, targets, now }: NoticeParts,
): Promise<void> {
  for (const target of targets) {
    if (target.digest === undefined || known.includes(target.name) || !wantsSource(target, source)) continue;
    await books.get(source)?.replaceDigestBase(target.name, null, toDigestBase(facts, target, now), null);
  }
}

/** Notices for targets that left the document, unless a replica may still have it. */
async function forgetUnknown(
  pending: ReadonlySet<string>,
  { books, targets, events, now }: NoticeParts,
): Promise<ReadonlySet<string>> {
  const known = new Set(targets.map(({ name }) => name));
  for (const target of pending) {
    if (known.has(target)) continue;
    const olderThan = now - giveUpAfterMs;
    await dropNotices({ target, books, events }, (notice) => notice.at < olderThan, "no such target");
  }
  return new Set([...pending].filter((target) => known.has(target)));
}

/** Writes the digest of each source for a target, once however often its job runs. */
export async function writeDigests(target: NotifyTarget, parts: Omit<NoticeParts, "targets">): Promise<void> {
  const { books, readFacts, now } = parts;
  const wanted = [...books].filter(([source]) => wantsSource(target, source));
  const bases = await Promise.all(
    wanted.map(async ([source, book]) => ({ source, book, before: await book.digestBase(target.name) })),
  );
  const factsOf = await readFacts();
  for (const { source, book, before } of bases) {
    const facts = factsOf.get(source);
    if (facts === undefined || (before !== null && now - before.at < minDigestGapMs)) continue;
    const base = toDigestBase(facts, target, now);
    const item = toDigestItem(before, base, facts, target);
    const notice = toNotice("digest", [item], { source, at: now, number: "digest" });
    await book.replaceDigestBase(target.name, before, base, notice);
  }
}
