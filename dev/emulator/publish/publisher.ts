import { createHash } from "node:crypto";
import type { EmulatorContext } from "../context.ts";
import { Deduplication, deduplicationIdOf, type DeduplicatedMessage } from "./deduplication.ts";
import type { PublishItem } from "./parse-publish-items.ts";
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
    this.takeId(deduplicationIdOf(item), item.endpoints);
  }

  takeId(id: string | undefined, endpoints: PublishItem["endpoints"]): void {
    if (id === undefined || this.#deduplication.find(id) !== undefined) return;
    const urls = endpoints.length === 0 ? [""] : endpoints.map(({ url }) => url);
    this.#deduplication.remember(
      id,
      urls.map((url) => ({ messageId: newMessageId(), url })),
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
