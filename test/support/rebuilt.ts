import type { DeadLetter } from "../../src/job/message/dead-letter.ts";
import { toDestination } from "../../src/job/message/destination-url.ts";
import type { ItemChanges } from "../../src/job/message/item-changes.ts";
import { rebuildItem, type RebuildContext } from "../../src/job/message/rebuild-item.ts";
import { deduplicationIdOf, messageIdOf, letterOf } from "./letters.ts";

const context: Omit<RebuildContext, "destination"> = {
  headerPrefix: "Upstash-",
  deduplicationId: deduplicationIdOf("redriver-1-0"),
  rootId: messageIdOf("msg_1"),
  signLineage: () => "v1.payload.tag",
  attempt: 0,
  retries: null,
  delayMs: null,
};

const rebuild = (
  fields: Record<string, unknown>,
  changes: ItemChanges = {},
  more: Partial<RebuildContext> = {},
) => {
  const letter = letterOf(fields);
  return rebuildLetter(letter, changes, { retries: letter.maxRetries ?? null, ...more });
};

export const rebuildLetter = (
  letter: DeadLetter,
  changes: ItemChanges = {},
  more: Partial<RebuildContext> = {},
) => {
  const destination = toDestination(letter.url, changes.destination);
  return rebuildItem(letter, changes, { ...context, destination, ...more });
};

export function itemOf(
  fields: Record<string, unknown>,
  changes: ItemChanges = {},
  more: Partial<RebuildContext> = {},
) {
  const rebuilt = rebuild(fields, changes, more);
  if (rebuilt.kind === "park") throw new Error(`parked: ${rebuilt.reason}`);
  return rebuilt.item;
}

export const parkOf = (fields: Record<string, unknown>, changes: ItemChanges = {}) => {
  const rebuilt = rebuild(fields, changes);
  return rebuilt.kind === "park" ? rebuilt.reason : "none";
};

export const lossesOf = (
  fields: Record<string, unknown>,
  changes: ItemChanges = {},
  more: Partial<RebuildContext> = {},
) => {
  const rebuilt = rebuild(fields, changes, more);
  return rebuilt.kind === "item" ? rebuilt.losses : rebuilt.reason;
};
