/**
 * The batches of pages that are worked side by side. A batch that is not full waits a moment for candidates
 * of the other pages.
 */
import type { DlqId } from "../message/dead-letter.ts";
import { sleptFully } from "../contracts/clock.ts";
import { byHalves } from "../by-halves.ts";
import { groupBy } from "../group-items-by-key.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { toBatches } from "./publish/batches.ts";
import { isReconciling, type Candidate } from "./records.ts";
import { putCandidateAside } from "./put-aside.ts";
import { republish, type BatchPage } from "./republish.ts";
import { held, type PublishResult } from "./results.ts";

/** As long as a slow call. Another page may wait much longer for capacity. */
const maxWaitMs = 100;

/** One page's part in the batches. */
export interface PageBatches {
  /** Publishes these, each in some batch, and answers results as they come. Throws as `republish` does. */
  publish(candidates: readonly Candidate[], page: BatchPage): AsyncGenerator<readonly PublishResult[]>;
  /** The page has no candidates, or no more. */
  leave(): void;
}

/** Results on their way to one page. */
class Inbox {
  readonly page: BatchPage;
  /** When its candidates came, by clock.monotonic(). */
  readonly arrivedAt: number;
  readonly #parts: (readonly PublishResult[])[] = [];
  #failure: { readonly error: unknown } | null = null;
  #wake: () => void = () => undefined;

  constructor(page: BatchPage, arrivedAt: number) {
    this.page = page;
    this.arrivedAt = arrivedAt;
  }

  add(results: readonly PublishResult[]): void {
    this.#parts.push(results);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  async next(): Promise<readonly PublishResult[]> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) return part;
      if (this.#failure !== null) throw this.#failure.error;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}

export function createSharedBatches(drain: DrainRuntime, signal: AbortSignal) {
  const { source } = drain;
  const { clock } = source;
  /** Candidates that are in no batch yet. */
  let waiting: Candidate[] = [];
  /**
   * Of each candidate, from its arrival until its batch has ended. A candidate in a batch stays here if its
   * page ends before: another page may list the same record, and must not get its results.
   */
  const inboxOf = new Map<DlqId, Inbox>();
  /** Pages that may still bring candidates. */
  let coming = 0;
  let isTimed = false;

  /** Sends the batches that are full. `all`: also the others. One after the other, as a trial needs it. */
  const flush = async (all: boolean): Promise<void> => {
    const ready: { readonly batch: readonly Candidate[]; readonly inboxes: ReadonlySet<Inbox> }[] = [];
    const left: Candidate[] = [];
    for (const batch of toBatches(source, waiting)) {
      if (all || isFull(source, batch)) ready.push({ batch, inboxes: inboxesOf(batch) });
      else left.push(...batch);
    }
    waiting = left;
    for (const { batch, inboxes } of ready) {
      try {
        const page = toCommonPage([...inboxes]);
        const ended = await byHalves(
          batch,
          (some) => republish(drain, some, page, signal),
          async (one, error) => [await putCandidateAside(drain, one, page.readAt, error)],
        );
        deliver(ended.flat());
      } catch (error) {
        for (const inbox of inboxes) inbox.fail(error);
      } finally {
        for (const { letter } of batch) inboxOf.delete(letter.dlqId);
      }
    }
  };

  const inboxesOf = (batch: readonly Candidate[]): ReadonlySet<Inbox> => {
    const inboxes = new Set<Inbox>();
    for (const one of batch) inboxes.add(inboxOf.get(one.letter.dlqId)!);
    return inboxes;
  };

  /** A page that has ended gets nothing more. */
  const deliver = (results: readonly PublishResult[]): void => {
    const byInbox = groupBy(results, ({ candidate }) => inboxOf.get(candidate.letter.dlqId));
    for (const [inbox, some] of byInbox) inbox?.add(some);
  };

  /** When the first of those that wait came, by clock.monotonic(); null: none waits. */
  const waitsSince = (): number | null => {
    if (waiting.length === 0) return null;
    return Math.min(...waiting.map(({ letter }) => inboxOf.get(letter.dlqId)!.arrivedAt));
  };

  /** Sends what has waited for long enough. A stop ends the wait, and nothing is sent after it. */
  const flushInTime = async (): Promise<void> => {
    if (isTimed) return;
    isTimed = true;
    for (let since = waitsSince(); since !== null; since = waitsSince()) {
      const leftMs = since + maxWaitMs - clock.monotonic();
      if (leftMs <= 0 || !(await sleptFully(clock, leftMs, signal))) void flush(true);
    }
    isTimed = false;
  };

  /** Takes out what the page of this inbox has brought and what is in no batch yet. */
  const leave = (inbox: Inbox): void => {
    const others: Candidate[] = [];
    for (const one of waiting) {
      if (inboxOf.get(one.letter.dlqId) === inbox) inboxOf.delete(one.letter.dlqId);
      else others.push(one);
    }
    waiting = others;
  };

  return {
    /** Joined before a page is listed: batches that are not full wait for its first candidates. */
    join(): PageBatches {
      coming += 1;
      let isComing = true;
      const arrive = (): void => {
        if (isComing) coming -= 1;
        isComing = false;
        if (coming === 0 && waiting.length > 0) void flush(true);
      };
      return {
        async *publish(candidates, page) {
          // A listing that moved may show a record on two pages.
          const twice: PublishResult[] = [];
          const mine: Candidate[] = [];
          for (const one of candidates) {
            if (inboxOf.has(one.letter.dlqId)) twice.push(held(one, "in-flight"));
            else mine.push(one);
          }
          const inbox = new Inbox(page, clock.monotonic());
          for (const one of mine) {
            inboxOf.set(one.letter.dlqId, inbox);
            waiting.push(one);
          }
          arrive();
          if (waiting.length > 0) void flush(false);
          void flushInTime();
          try {
            if (twice.length > 0) yield twice;
            for (let left = mine.length; left > 0;) {
              const results = await inbox.next();
              left -= results.length;
              yield results;
            }
          } finally {
            leave(inbox);
          }
        },
        leave: arrive,
      };
    },
  };
}

/** Of the pages of a batch: what is true of all. */
function toCommonPage(inboxes: readonly Inbox[]): BatchPage {
  const pages = inboxes.map(({ page }) => page);
  return {
    readAt: Math.min(...pages.map(({ readAt }) => readAt)),
    grantsEndAt: Math.min(...pages.map(({ grantsEndAt }) => grantsEndAt)),
    candidates: pages.reduce((sum, { candidates }) => sum + candidates, 0),
    isAlone: pages.every(({ isAlone }) => isAlone === true),
  };
}

/** Only a full batch does not wait, and one that other candidates may not join. */
function isFull(
  { publish, health, poison }: Pick<SourceRuntime, "publish" | "health" | "poison">,
  batch: readonly Candidate[],
): boolean {
  const [first] = batch;
  if (first === undefined || isReconciling(first) || health.standing().state === "halted") return true;
  if (poison.maxBeside(first.letter.dlqId, publish.maxItems) < publish.maxItems) return true;
  const bytes = batch.reduce((sum, one) => sum + one.bytes, 0);
  return batch.length >= publish.maxItems || bytes > publish.maxBytes / 2;
}
