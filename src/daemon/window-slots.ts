import type { Clock } from "../ports/clock.ts";
import type { SourceId } from "../ports/ids.ts";

/**
 * Which windows this process works on. One source alone may have all of `max`; but each source has one slot
 * that no other can take, so the most of all together is `max` − 1 and one per source. A source whose
 * listings hang or never end keeps its slots for as long as they do, and costs the others none of theirs.
 *
 * A window that gets no slot waits a moment for one, so that slots change hands without a gap, and goes back
 * to the queue then, where another replica may take it. It keeps its turn here: of those that wait, the one
 * that came first is first.
 */
export interface WindowSlots {
  /** Null: no slot came free. Rejects with the signal's reason. */
  take(asked: SlotAsked, signal: AbortSignal): Promise<WindowSlot | null>;
}

export interface WindowSlot {
  /** Safe to call twice. */
  release(): void;
}

export interface SlotAsked {
  /** The same whenever this window asks. */
  readonly id: string;
  readonly source: SourceId;
  /** How many windows one source may have. */
  readonly max: number;
}

/** Of one source. These hold places of the worker, so that a few are enough to take over what comes free. */
export const maxWaiting = 2;
const waitMs = 1_000;
/** Forgetting costs a window its turn. */
const maxTurns = 1_000;

interface Waiter extends SlotAsked {
  readonly turn: number;
  readonly end: (slot: WindowSlot | null) => void;
}

export function createWindowSlots(clock: Pick<Clock, "sleep">): WindowSlots {
  const running = new Map<SourceId, number>();
  const waiters = new Set<Waiter>();
  const turns = new Map<string, number>();
  let nextTurn = 0;

  const ofSource = (source: SourceId): readonly Waiter[] =>
    [...waiters].filter((waiter) => waiter.source === source);

  function mayRun({ source, max }: SlotAsked): boolean {
    if (!running.has(source)) return true;
    let shared = 0;
    for (const count of running.values()) shared += count - 1;
    return shared < max - 1;
  }

  function begin({ id, source }: SlotAsked): WindowSlot {
    turns.delete(id);
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
    for (const waiter of [...waiters].toSorted((one, other) => one.turn - other.turn)) {
      if (mayRun(waiter)) waiter.end(begin(waiter));
    }
  }

  function turnOf(id: string): number {
    const known = turns.get(id);
    if (known !== undefined) return known;
    if (turns.size >= maxTurns) turns.clear();
    nextTurn += 1;
    turns.set(id, nextTurn);
    return nextTurn;
  }

  async function wait(asked: SlotAsked, signal: AbortSignal): Promise<WindowSlot | null> {
    const over = new AbortController();
    let slot: WindowSlot | null = null;
    const waiter: Waiter = {
      ...asked,
      turn: turnOf(asked.id),
      end(got) {
        slot = got;
        waiters.delete(waiter);
        over.abort();
      },
    };
    waiters.add(waiter);
    const all = ofSource(asked.source).toSorted((one, other) => one.turn - other.turn);
    for (const last of all.slice(maxWaiting)) last.end(null);
    await clock.sleep(waitMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    waiters.delete(waiter);
    return slot;
  }

  return {
    async take(asked, signal) {
      const isFirst = ofSource(asked.source).length === 0;
      if (isFirst && mayRun(asked)) return begin(asked);
      const slot = await wait(asked, signal);
      if (slot === null) signal.throwIfAborted();
      return slot;
    },
  };
}
