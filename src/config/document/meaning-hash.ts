import { createHash } from "node:crypto";
import type { DrainConfig, DrainsDocument } from "../../ports/drains.ts";

/** 12 hex digits of SHA-256 over what a drain decides by. Its schedule, selection and mode change no decision. */
export function toRulesHash(
  drain: Pick<DrainConfig, "rules" | "otherwise" | "minAgeMs" | "attempts" | "unknownOutcome">,
): string {
  const { rules, otherwise, minAgeMs, attempts, unknownOutcome } = drain;
  return hash({ rules, otherwise, minAgeMs, attempts, unknownOutcome });
}

/** 12 hex digits of SHA-256 over what a document means; its comments, layout, order of names and spelled-out defaults do not count. */
export function toDocumentHash(document: Omit<DrainsDocument, "hash">): string {
  return hash({
    paused: document.paused,
    sources: byName(document.sources),
    drains: byName(document.drains).map((drain) => ({ ...drain, route: undefined, source: drain.source.id })),
    indexes: byName(document.indexes),
  });
}

function byName<Named extends { readonly name: string }>(list: readonly Named[]): readonly Named[] {
  return list.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex").slice(0, 12);
}

/** Lists that mean a set: the order of their members says nothing. */
const unorderedKeys = new Set([
  "of",
  "oneOf",
  "url",
  "topicName",
  "scheduleId",
  "queueName",
  "responseStatus",
  "callerIp",
  "label",
]);

/** JSON with sorted keys. Infinite ends of ranges become null, which is unambiguous: `from` is never the upper end. */
function canonical(value: unknown, key = ""): string {
  if (Array.isArray(value)) {
    const members = value.map((member) => canonical(member));
    return `[${(unorderedKeys.has(key) ? members.toSorted() : members).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, name)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
