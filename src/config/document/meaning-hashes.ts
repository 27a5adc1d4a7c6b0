import { createHash } from "node:crypto";
import { selectListNames } from "../../job/message/select.ts";
import type { DrainConfig, DrainsDocument } from "../../job/contracts/drains-document.ts";
import { leavesOf, type Condition } from "../../job/rules/rule-spec.ts";

/**
 * 12 hex digits of SHA-256 over what a drain decides by. Its flow control and its source's brake count, because
 * they are written into messages; its retention only if a rule asks for the time left.
 */
export function toRulesHash(
  drain: Pick<
    DrainConfig,
    "rules" | "otherwise" | "minAgeMs" | "attempts" | "flowControl" | "onLoss" | "unknownOutcome" | "source"
  >,
): string {
  const { otherwise, minAgeMs, attempts, flowControl, onLoss, unknownOutcome } = drain;
  const { brake } = drain.source;
  const always = { otherwise, minAgeMs, attempts, flowControl, onLoss, unknownOutcome, brake };
  const rules = drain.rules.map((rule) => ({ ...rule, limit: undefined }));
  const retentionMs = rules.some((rule) => asksForTimeLeft(rule.when)) ? drain.source.retentionMs : undefined;
  return hash({ ...always, rules, retentionMs });
}

function asksForTimeLeft(condition: Condition): boolean {
  return leavesOf(condition).some((leaf) => leaf.kind === "duration" && leaf.field === "timeLeft");
}

/** 12 hex digits of SHA-256 over what a document means, so not its comments, layout, order or tests. */
export function toDocumentHash(document: Omit<DrainsDocument, "hash">): string {
  return hash({
    paused: document.paused,
    archive: document.archive,
    sources: byName(document.sources).map((source) =>
      source.id === source.name ? source : { ...source, isIdWritten: undefined },
    ),
    drains: byName(document.drains).map((drain) => ({
      ...drain,
      route: undefined,
      tests: undefined,
      source: drain.source.id,
    })),
    indexes: byName(document.indexes),
    // Absent for none, so that documents without it keep their hash.
    notify: document.notify.length === 0 ? undefined : byName(document.notify),
  });
}

function byName<Named extends { readonly name: string }>(list: readonly Named[]): readonly Named[] {
  return list.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 12);
}

/** Lists that mean a set: the order of their members has no meaning. */
const unorderedKeys = new Set<string>(["of", "oneOf", ...selectListNames]);

/** The part that is written into messages: there the order of every list counts. */
const orderedPart = "set";

/** JSON with sorted keys. Infinite ends of ranges become null, which is unambiguous: `from` is never the upper end. */
export function canonicalJson(value: unknown, key = "", ordered = false): string {
  if (Array.isArray(value)) {
    const members = value.map((member) => canonicalJson(member, "", ordered));
    return `[${(unorderedKeys.has(key) && !ordered ? members.toSorted() : members).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const members = sorted.map(([name, member]) => {
      const text = canonicalJson(member, name, ordered || name === orderedPart);
      return `${JSON.stringify(name)}:${text}`;
    });
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}
