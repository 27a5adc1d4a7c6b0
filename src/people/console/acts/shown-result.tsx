/** What an operation that reads answers to its form. It is in no address, and no cache keeps it. */
import { toPrintableLines } from "../../../job/message/show-masked-values.ts";
import { toSafeJson } from "../../../job/message/write-safe-json.ts";
import type { ReadMessage } from "../../operations/records/read-message.ts";
import { MessageContent } from "../parts/message-content.tsx";
import type { Html } from "../screen.ts";

/** Shown as the answer to the form itself: it has no address, so nothing can ask for it again. */
export interface ShownOnce {
  readonly title: string;
  readonly content: Html;
}

const maxCharacters = 65_536;

export function toShown(words: string, title: string, results: readonly object[]): ShownOnce {
  if (words === "content") {
    const [message] = results as readonly ReadMessage[];
    if (message !== undefined) {
      return { title: `Content of ${message.dlqId}`, content: <MessageContent message={message} /> };
    }
  }
  const lines = results.map((result) => toPrintableLines(toSafeJson(result), maxCharacters));
  return { title, content: <pre>{lines.join("\n")}</pre> };
}
