import { isObject } from "../message/json-value.ts";
import type { MessageId } from "../message/dead-letter.ts";
import type { ItemOutcome } from "../ports/service.ts";
import { isMessageId } from "../message/message-id.ts";

type Position =
  | { readonly kind: "published"; readonly messageId: string; readonly deduplicated: boolean }
  | { readonly kind: "refused"; readonly error: string }
  /** Neither an acceptance nor a refusal that can be read, or both at once. */
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * Reads one position of a batch answer as proof about its item (remote-contract.md, POST). An object with a
 * message id, or a non-empty array of such objects, proves publication. An object with a readable error and
 * no message id is a refusal, and so is a non-empty array of such objects. Anything else proves nothing
 * either way. As a refusal it would be published again, and perhaps twice. `clean` makes the service's error
 * text fit to show, `toId` its ids.
 */
export function toItemOutcome(
  element: unknown,
  clean: (text: string) => string,
  toId: (text: string) => MessageId,
): ItemOutcome {
  const positions = Array.isArray(element) ? element.map(toPosition) : [toPosition(element)];
  const [first] = positions;
  if (first === undefined) return { kind: "in-doubt", why: `${expected}, got an empty array` };
  const unreadable = positions.find((position) => position.kind === "unreadable");
  if (unreadable !== undefined) return { kind: "in-doubt", why: unreadable.why };
  const published = positions.filter((position) => position.kind === "published");
  if (first.kind === "published" && published.length === positions.length) {
    const deduplicated = published.every((position) => position.deduplicated);
    return { kind: "accepted", messageId: toId(first.messageId), deduplicated };
  }
  if (published.length > 0) {
    return {
      kind: "in-doubt",
      why: `${published.length} of ${positions.length} endpoints of a URL Group have a messageId`,
    };
  }
  return { kind: "refused", error: clean(first.kind === "refused" ? first.error : "") };
}

const expected = "expected an object with a messageId or an error";

function toPosition(element: unknown): Position {
  if (!isObject(element)) return unreadable(`${expected}, got something else`);
  const { messageId, error, deduplicated } = element;
  const text = toText(error);
  if (isAbsent(messageId)) {
    if (text !== null) return { kind: "refused", error: text };
    return unreadable(`${expected}, got neither`);
  }
  if (!isAbsent(error)) return unreadable("expected a messageId or an error, got both");
  if (!isMessageId(messageId))
    return unreadable("expected a messageId like msg_<id>, got one that has not that shape");
  // A hit may prove less than an acceptance, so any value but an absent one counts as a hit.
  return { kind: "published", messageId, deduplicated: !isAbsent(deduplicated) && deduplicated !== false };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** `"text"` or `{"message": "text"}`; null for anything else. */
function toText(error: unknown): string | null {
  const text = isObject(error) ? error["message"] : error;
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

function unreadable(why: string): Position {
  return { kind: "unreadable", why };
}
