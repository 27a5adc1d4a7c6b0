import type { MessageId } from "../message/dead-letter.ts";
import type { ItemOutcome } from "../ports/service.ts";
import { isObject } from "./answer.ts";

type Position =
  | { readonly kind: "published"; readonly messageId: string; readonly deduplicated: boolean }
  | { readonly kind: "not-published"; readonly error: string }
  /** A message id and an error at once. */
  | { readonly kind: "contradiction" };

/**
 * What one position of a batch answer proves about its item (remote-contract.md, POST): an object with a messageId, or a
 * non-empty array of such objects, is accepted; a position where some say so and some do not proves nothing; anything else
 * was not published. `clean` makes the service's error text fit to show, `toId` its ids.
 */
export function toItemOutcome(
  element: unknown,
  clean: (text: string) => string,
  toId: (text: string) => MessageId,
): ItemOutcome {
  const positions = Array.isArray(element) ? element.map(toPosition) : [toPosition(element)];
  const published = positions.filter((position) => position.kind === "published");
  const [first] = published;
  if (first !== undefined && published.length === positions.length) {
    const deduplicated = published.every((position) => position.deduplicated);
    return { kind: "accepted", messageId: toId(first.messageId), deduplicated };
  }
  if (positions.some((position) => position.kind === "contradiction")) {
    return { kind: "unknown", why: "expected a messageId or an error, got both" };
  }
  if (first !== undefined) {
    return {
      kind: "unknown",
      why: `${published.length} of ${positions.length} endpoints of a URL Group have a messageId`,
    };
  }
  const refused = positions.find((position) => position.kind === "not-published");
  return {
    kind: "refused",
    error: clean(refused?.error ?? "expected an object with a messageId, got an empty array"),
  };
}

function toPosition(element: unknown): Position {
  if (!isObject(element)) return { kind: "not-published", error: "expected an object with a messageId" };
  const { messageId, error, deduplicated } = element;
  const hasId = typeof messageId === "string" && messageId !== "";
  const hasError = error !== undefined && error !== null && error !== "";
  if (hasId && hasError) return { kind: "contradiction" };
  if (hasId) return { kind: "published", messageId, deduplicated: deduplicated === true };
  return {
    kind: "not-published",
    error: typeof error === "string" && error !== "" ? error : "expected an object with a messageId",
  };
}
