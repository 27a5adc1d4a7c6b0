import type { Clock } from "../contracts/clock.ts";
import type { SourceId } from "../contracts/ids.ts";

export interface WindowSlot {
  /** Safe to call twice. */
  release(): void;
}

interface SlotAsked {
  readonly source: SourceId;
  readonly max: number;
}

/** Of one source. Waiting windows occupy places of the worker, so a few are enough to take over free slots. */
export const maxWaiting = 2;
const waitMs = 1_000;

interface Waiter extends SlotAsked {
  readonly end: (slot: WindowSlot) => void;
}

/**
 * Limits the windows that this process works on. One source alone may have all of `max`. But each source has
 * one slot that no other can take, so all together have at most `max` − 1 and one per source. A source with
 * listings that hang or never end keeps its slots for as long, and costs the others none of theirs.
 *
 * A window without a slot waits a moment for one, so that slots change hands without a gap: the first to come
 * gets the first. Then it goes back to the queue, where another replica may take it.
 */
export function createWindowSlots(clock: Pick<Clock, "sleep">) {
  const running = new Map<SourceId, number>();
  const waiters = new Set<Waiter>();

  function mayRun({ source, max }: SlotAsked): boolean {
    if (!running.has(source)) return true;
    let shared = 0;
    for (const count of running.values()) shared += count - 1;
    return shared < max - 1;
  }

  function begin({ source }: SlotAsked): WindowSlot {
    running.set(source, (running.get(source) ?? 0) + 1);
    let isHeld = true;
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        const left = (running.get(source) ?? 1) - 1;
        if (left === 0) running.delete(source);
        else running.set(source, left);
        admit();
      },
    };
  }

  function admit(): void {
    for (const waiter of waiters) if (mayRun(waiter)) waiter.end(begin(waiter));
  }

  async function wait(asked: SlotAsked, signal: AbortSignal): Promise<WindowSlot | null> {
    const over = new AbortController();
    let slot: WindowSlot | null = null;
    const waiter: Waiter = {
      ...asked,
      end(got) {
        slot = got;
        waiters.delete(waiter);
        over.abort();
      },
    };
    waiters.add(waiter);
    await clock.sleep(waitMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    waiters.delete(waiter);
    return slot;
  }

  return {
    /** Null: no slot came free. Rejects with the signal's reason. */
    async take(asked: SlotAsked, signal: AbortSignal): Promise<WindowSlot | null> {
      const waiting = [...waiters].filter(({ source }) => source === asked.source).length;
      if (waiting === 0 && mayRun(asked)) return begin(asked);
      if (waiting >= maxWaiting) return null;
      const slot = await wait(asked, signal);
      if (slot === null) signal.throwIfAborted();
      return slot;
    },
  };
}
