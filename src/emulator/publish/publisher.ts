import { createHash } from "node:crypto";
import type { EmulatorContext } from "../context.ts";
import type { PublishItem } from "./parse-items.ts";
import type { Directory } from "./groups-and-queues.ts";
import { newMessageId, type Message } from "./message.ts";

export interface SingleAnswer {
  readonly messageId: string;
  readonly deduplicated?: boolean;
}

/** What a batch answers at one position. */
export type PublishAnswer =
  | SingleAnswer
  | readonly { readonly messageId: string; readonly url: string; readonly deduplicated?: boolean }[];

/** Where a message comes from: who sent it, and by way of which URL Group. */
export type MessageOrigin = Pick<Message, "callerIp" | "topicName" | "topicId">;

interface DeduplicatedMessage {
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
class Deduplication {
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

/** Turns understood items into messages on their way. It cannot fail: all refusing is done before. */
export class Publisher {
  readonly #context: EmulatorContext;
  readonly #directory: Directory;
  readonly #deduplication: Deduplication;
  readonly #send: (message: Message) => void;

  constructor(context: EmulatorContext, directory: Directory, send: (message: Message) => void) {
    this.#context = context;
    this.#directory = directory;
    this.#deduplication = new Deduplication(context);
    this.#send = send;
  }

  publish(item: PublishItem, position: number, callerIp: string): PublishAnswer {
    const { urlGroup } = item;
    const { messages, deduplicated } = this.#accept(item, position, {
      callerIp,
      topicName: urlGroup?.name,
      topicId: urlGroup?.topicId,
    });
    const mark = deduplicated ? ({ deduplicated: true } as const) : {};
    if (urlGroup !== undefined) return messages.map(({ messageId, url }) => ({ messageId, url, ...mark }));
    return { messageId: messages[0]!.messageId, ...mark };
  }

  /** A dead letter once more: to the one endpoint that failed, never to its whole URL Group. */
  republish(item: PublishItem, origin: MessageOrigin): SingleAnswer {
    const { messages, deduplicated } = this.#accept(item, 0, origin);
    const { messageId } = messages[0]!;
    return deduplicated ? { messageId, deduplicated } : { messageId };
  }

  /** Sends the messages of an item, or finds those that its deduplication id was taken by. */
  #accept(
    item: PublishItem,
    position: number,
    origin: MessageOrigin,
  ): { readonly messages: readonly DeduplicatedMessage[]; readonly deduplicated: boolean } {
    const deduplicationId = deduplicationIdOf(item);
    const known = deduplicationId === undefined ? undefined : this.#deduplication.find(deduplicationId);
    if (deduplicationId !== undefined && known !== undefined) {
      for (const { messageId } of known) {
        this.#context.journal.add({ type: "deduplicated", deduplicationId, messageId, position });
      }
      return { messages: known, deduplicated: true };
    }
    const messages = this.#toMessages(item, origin);
    if (deduplicationId !== undefined) {
      this.#deduplication.remember(
        deduplicationId,
        messages.map(({ messageId, url }) => ({ messageId, url })),
      );
    }
    const bodySha256 = createHash("sha256").update(item.body).digest("hex");
    for (const message of messages) {
      const { messageId, url, topicName, queueName } = message;
      this.#context.journal.add({
        type: "accepted",
        messageId,
        url,
        bodySha256,
        position,
        deduplicationId,
        topicName,
        queueName,
      });
      this.#send(message);
    }
    return { messages, deduplicated: false };
  }

  /** Takes the id without publishing anything, for services that register what they refuse. */
  registerOnly(item: PublishItem): void {
    const id = deduplicationIdOf(item);
    if (id === undefined || this.#deduplication.find(id) !== undefined) return;
    this.#deduplication.remember(
      id,
      item.endpoints.map(({ url }) => ({ messageId: newMessageId(), url })),
    );
  }

  #toMessages(item: PublishItem, origin: MessageOrigin): Message[] {
    const createdAt = this.#context.clock.now();
    const { notBeforeSeconds, delayMs } = item.settings;
    const notBefore = notBeforeSeconds === undefined ? createdAt + (delayMs ?? 0) : notBeforeSeconds * 1_000;
    if (item.queueName !== undefined) this.#directory.ensureQueue(item.queueName);
    return item.endpoints.map((endpoint) => ({
      messageId: newMessageId(),
      url: endpoint.url,
      body: item.body,
      settings: item.settings,
      createdAt,
      notBefore,
      queueName: item.queueName,
      endpointName: endpoint.name,
      ...origin,
    }));
  }
}

/** The id an item is remembered by, if any; the content based one is over destination, body and headers. */
function deduplicationIdOf(item: PublishItem): string | undefined {
  if (item.settings.deduplicationId !== undefined) return item.settings.deduplicationId;
  if (!item.settings.contentBasedDeduplication) return undefined;
  // Sorted: headers in another order are the same content.
  const header = Object.entries(item.settings.header).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const content = [item.destination, item.queueName, item.settings.method, header];
  return createHash("sha256").update(JSON.stringify(content)).update(item.body).digest("hex");
}
