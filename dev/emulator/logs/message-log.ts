import { bisect } from "../bisect.ts";
import type { EmulatorContext } from "../context.ts";
import type { HeaderMap, Message, MessageFacts } from "../publish/message.ts";

/** What can be the newest about a message. `CANCELED` is spelt as the official client's types have it. */
export const logStates = ["CREATED", "ACTIVE", "RETRY", "ERROR", "DELIVERED", "FAILED", "CANCELED"] as const;
export type LogState = (typeof logStates)[number];

/** What came of an attempt, or when the next is due. */
interface LogDetails {
  readonly nextDeliveryTime?: number | undefined;
  readonly error?: string | undefined;
  readonly responseStatus?: number | undefined;
  readonly responseHeaders?: HeaderMap | undefined;
}

export interface LogEntry extends LogDetails {
  readonly seq: number;
  readonly time: number;
  readonly state: LogState;
  readonly message: MessageFacts;
}

/**
 * What became of messages, callbacks included, as far as it is kept. Bodies are not: they would be most of
 * its memory.
 */
export class MessageLog {
  readonly #context: EmulatorContext;
  /** Oldest first. */
  #entries: LogEntry[] = [];
  #seq = 0;

  constructor(context: EmulatorContext) {
    this.#context = context;
  }

  add(whole: Message, state: LogState, details: LogDetails = {}): void {
    const { body: _, ...message } = whole;
    const { clock, settings } = this.#context;
    this.#entries.push({ ...details, seq: ++this.#seq, time: clock.now(), state, message });
    // Trimmed by halves: each entry is moved once on average.
    if (this.#entries.length > 2 * settings.logLimit) this.#entries = this.#kept();
  }

  /** Newest first, from below the number on. */
  *before(seq: number): Generator<LogEntry> {
    const kept = this.#kept();
    for (let index = bisect(kept, (entry) => entry.seq < seq) - 1; index >= 0; index--) yield kept[index]!;
  }

  /** The newest state of a message; undefined if nothing of it is kept. */
  latestOf(messageId: string): LogState | undefined {
    return this.#entries.findLast(({ message }) => message.messageId === messageId)?.state;
  }

  #kept(): LogEntry[] {
    return this.#entries.slice(Math.max(0, this.#entries.length - this.#context.settings.logLimit));
  }
}
