import type { EmulatorContext } from "../context.ts";
import type { Message } from "../publish/message.ts";

/** What can be the newest about a message. `CANCELED` is spelt as the official client's types have it. */
export type LogState = "CREATED" | "ACTIVE" | "RETRY" | "ERROR" | "DELIVERED" | "FAILED" | "CANCELED";

interface LogEntry {
  readonly messageId: string;
  readonly state: LogState;
}

/** What became of messages, callbacks included, as far as it is kept. */
export class MessageLog {
  readonly #context: EmulatorContext;
  /** Oldest first. */
  #entries: LogEntry[] = [];

  constructor(context: EmulatorContext) {
    this.#context = context;
  }

  add({ messageId }: Message, state: LogState): void {
    const { logLimit } = this.#context.settings;
    this.#entries.push({ messageId, state });
    // Trimmed by halves: each entry is moved once on average.
    if (this.#entries.length > 2 * logLimit) this.#entries = this.#entries.slice(-logLimit);
  }

  /** The newest state of a message; undefined if nothing of it is kept. */
  latestOf(messageId: string): LogState | undefined {
    return this.#entries.findLast((entry) => entry.messageId === messageId)?.state;
  }
}
