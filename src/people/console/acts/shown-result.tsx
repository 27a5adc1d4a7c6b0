/** What `content`, the one operation that reads, answers to its form. It is in no address, and no cache keeps it. */
import type { ReadMessage } from "../../operations/records/read-message.ts";
import { MessageContent } from "../parts/message-content.tsx";
import type { Html } from "../screen.ts";

/** Shown as the answer to the form itself: it has no address, so nothing can ask for it again. */
export interface ShownOnce {
  readonly title: string;
  readonly content: Html;
}

export function toShown(results: readonly object[]): ShownOnce {
  const [message] = results as readonly [ReadMessage];
  return { title: `Content of ${message.dlqId}`, content: <MessageContent message={message} /> };
}
