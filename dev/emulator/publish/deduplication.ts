import { createHash } from "node:crypto";
import type { EmulatorContext } from "../context.ts";
import type { PublishItem } from "./parse-publish-items.ts";

export interface DeduplicatedMessage {
  readonly messageId: string;
  readonly url: string;
}

interface Memory {
  readonly messages: readonly DeduplicatedMessage[];
  /** Of the publish, or of the last hit where the window counts from that. */
  readonly countedFrom: number;
}

/**
 * Which ids were published inside the window. It knows nothing of what became of the messages: an id stays
 * taken although its message has long failed.
 */
export class Deduplication {
  readonly #context: EmulatorContext;
  readonly #memories = new Map<string, Memory>();

  constructor(context: EmulatorContext) {
    this.#context = context;
  }

  find(id: string): readonly DeduplicatedMessage[] | undefined {
    this.#forgetExpired();
    const messages = this.#memories.get(id)?.messages;
    if (messages !== undefined && this.#context.settings.dedupWindowFrom === "last")
      this.remember(id, messages);
    return messages;
  }

  remember(id: string, messages: readonly DeduplicatedMessage[]): void {
    // Deleted first, so that the map stays in order of time.
    this.#memories.delete(id);
    this.#memories.set(id, { messages, countedFrom: this.#context.clock.now() });
  }

  #forgetExpired(): void {
    const expired = this.#context.clock.now() - this.#context.settings.dedupWindowMs;
    for (const [id, memory] of this.#memories) {
      if (memory.countedFrom > expired) return;
      this.#memories.delete(id);
    }
  }
}

/** The id an item is remembered by, if any; the content based one is over destination, body and headers. */
export function deduplicationIdOf(item: PublishItem): string | undefined {
  if (item.settings.deduplicationId !== undefined) return item.settings.deduplicationId;
  if (!item.settings.contentBasedDeduplication) return undefined;
  // Sorted: headers in another order are the same content.
  const header = Object.entries(item.settings.header).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const content = [item.destination, item.queueName, item.settings.method, header];
  return createHash("sha256").update(JSON.stringify(content)).update(item.body).digest("hex");
}
