/** The batches of pages that are worked side by side. Who fills a batch, or has waited for long enough, sends it. */
import { once } from "node:events";
import type { DlqId } from "../message/dead-letter.ts";
import { sleptFully, type Clock } from "../contracts/clock.ts";
import { onAbort } from "../contracts/on-abort.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { apart } from "./apart.ts";
import { hold } from "./fate.ts";
import { isByService, isReconciling, type Letter, type Page } from "./letter.ts";
import { publish, type BatchPage } from "./publish.ts";
import { toBatches } from "./publish/batches.ts";

/** As long as a slow call. Another page may wait much longer for capacity. */
const maxWaitMs = 100;

export type PageBatches = ReturnType<ReturnType<typeof createSharedBatches>["join"]>;

/** Letters of one page that are on their way together. */
class Sending {
  readonly page: Page;
  readonly due: number;
  /** By clock.monotonic(). */
  readonly arrivedAt: number;
  left = 0;
  ended: Letter[] = [];
  failure: { readonly error: unknown } | null = null;
  /** Something has happened since it last looked. */
  hasNews = false;
  #rest: AbortController | null = null;

  constructor(page: Page, due: number, arrivedAt: number) {
    this.page = page;
    this.due = due;
    this.arrivedAt = arrivedAt;
  }

  wake(): void {
    this.hasNews = true;
    // With a reason of its own, none is made.
    this.#rest?.abort("news");
  }

  /** Until it is woken, for `forMs` at most, or until the signal aborts. */
  async rest(clock: Pick<Clock, "sleep">, forMs: number | null, signal: AbortSignal): Promise<void> {
    if (this.hasNews) return;
    const rest = new AbortController();
    this.#rest = rest;
    // A window's signal outlives thousands of pages, so nothing may stay at it.
    const leave = onAbort(signal, () => rest.abort("stop"));
    if (forMs === null) await once(rest.signal, "abort");
    else await sleptFully(clock, forMs, rest.signal);
    leave();
    this.#rest = null;
  }

  takeEnded(): readonly Letter[] {
    const { ended } = this;
    this.ended = [];
    this.left -= ended.length;
    return ended;
  }
}

export function createSharedBatches(drain: DrainRuntime, signal: AbortSignal) {
  const { source } = drain;
  const { clock } = source;
  let waiting: Letter[] = [];
  /** Until its batch has ended: another page may list a letter, and must not publish it beside that batch. */
  const sendingOf = new Map<DlqId, Sending>();
  let coming = 0;

  /** Takes the batches that are full. If those that wait have waited for long enough: also the others. */
  const takeReady = (): readonly (readonly Letter[])[] => {
    if (waiting.length === 0) return [];
    const all = coming === 0 || signal.aborted || clock.monotonic() >= waitsUntil();
    const ready: (readonly Letter[])[] = [];
    const left: Letter[] = [];
    for (const batch of toBatches(source, waiting)) {
      if (all || isFull(source, batch)) ready.push(batch);
      else left.push(...batch);
    }
    waiting = left;
    return ready;
  };

  const waitsUntil = (): number => {
    let firstAt = Infinity;
    for (const { dlqId } of waiting) firstAt = Math.min(firstAt, sendingOf.get(dlqId)!.arrivedAt);
    return firstAt + maxWaitMs;
  };

  /** One after the other, as a trial needs it. Tells each page of its letters. */
  const send = async (batches: readonly (readonly Letter[])[]): Promise<void> => {
    for (const batch of batches) {
      const sendings = new Set<Sending>();
      const going: Letter[] = [];
      for (const letter of batch) {
        const sending = sendingOf.get(letter.dlqId)!;
        sendings.add(sending);
        // Pages that have failed publish nothing more.
        if (sending.failure === null) going.push(letter);
      }
      const page = toBatchPage([...sendings]);
      try {
        await apart(drain, page.readAt, going, (some) => publish(drain, some, page, signal));
      } catch (error) {
        for (const sending of sendings) sending.failure ??= { error };
      }
      for (const letter of batch) {
        sendingOf.get(letter.dlqId)?.ended.push(letter);
        sendingOf.delete(letter.dlqId);
      }
      for (const sending of sendings) sending.wake();
    }
  };

  const leave = (sending: Sending): void => {
    waiting = waiting.filter(({ dlqId }) => {
      if (sendingOf.get(dlqId) !== sending) return true;
      sendingOf.delete(dlqId);
      return false;
    });
  };

  return {
    /** Joined before a page is listed: batches that are not full wait for its first letters. */
    join() {
      coming += 1;
      let isComing = true;
      const arrive = (): void => {
        if (isComing) coming -= 1;
        isComing = false;
        // The last one to come: what waits for others goes now.
        if (coming === 0) for (const { dlqId } of waiting) sendingOf.get(dlqId)?.wake();
      };
      return {
        /** Publishes these, and answers those with a fate or to be asked again, as they come. `due`: of the page. */
        async *publishTogether(letters: readonly Letter[], page: Page, due: number) {
          const sending = new Sending(page, due, clock.monotonic());
          // A listing that moved may show a record on two pages.
          const twice: Letter[] = [];
          for (const one of letters) {
            if (sendingOf.has(one.dlqId)) {
              hold(one, "in-flight");
              twice.push(one);
              continue;
            }
            sendingOf.set(one.dlqId, sending);
            sending.left += 1;
            waiting.push(one);
          }
          arrive();
          try {
            if (twice.length > 0) yield twice;
            while (sending.left > 0) {
              sending.hasNews = false;
              await send(takeReady());
              if (sending.failure !== null) throw sending.failure.error;
              // What waits is sent by whoever comes first.
              const forMs = waiting.length === 0 ? null : waitsUntil() - clock.monotonic();
              if (sending.ended.length > 0) yield sending.takeEnded();
              else await sending.rest(clock, forMs, signal);
            }
          } finally {
            leave(sending);
          }
        },
        /** The page has no letters, or no more. */
        leave: arrive,
      };
    },
  };
}

function toBatchPage(sendings: readonly Sending[]): BatchPage {
  const pages = sendings.map(({ page }) => page);
  return {
    readAt: Math.min(...pages.map(({ readAt }) => readAt)),
    due: sendings.reduce((sum, { due }) => sum + due, 0),
    isAlone: pages.every(({ isAlone }) => isAlone === true),
  };
}

/** Only a full batch does not wait, and one that other letters may not join. */
function isFull(
  { publish: limits, health, poison }: Pick<SourceRuntime, "publish" | "health" | "poison">,
  batch: readonly Letter[],
): boolean {
  const [first] = batch;
  if (first === undefined || batch.length >= limits.maxItems) return true;
  if (isReconciling(first) || isByService(first)) return true;
  if (health.standing().state === "halted") return true;
  if (poison.maxBeside(first.dlqId, limits.maxItems) < limits.maxItems) return true;
  return batch.reduce((sum, one) => sum + one.bytes, 0) > limits.maxBytes / 2;
}
