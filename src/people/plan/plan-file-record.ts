import { z } from "zod";
import type { BatchItem, DlqId, RawRecord } from "../../job/message/dead-letter.ts";
import { defined } from "../../job/message/defined.ts";
import { describeRebuild } from "../../job/message/describe-rebuild.ts";
import { type Show, toShownUrl } from "../../job/message/show-masked-values.ts";
import { drainName } from "../../job/contracts/plans.ts";
import type { DrainRuntime, Letter } from "../../job/door.ts";
import { itemOf } from "../../job/door-pure.ts";
import { type Foreseen, nextDecision } from "./foresee-next-decision.ts";
import { hashRecord, hashItem, withoutOwnHeaders } from "./plan-hashes.ts";

const text = z.string();

/** The parts of a decision that must be the same again before apply acts on it. */
const planned = z.object({
  /** Of the record as it was listed. */
  hash: text,
  then: z.enum(["republish", "drop", "hold", "park", "settle"]),
  reason: text,
  rule: text.nullable(),
  /** Hash of the item to publish; only for a republish. */
  item: text.exactOptional(),
  /** As it is listed, before rules change it. Not compared. */
  host: text.exactOptional(),
});
export type Planned = Readonly<z.infer<typeof planned>>;

/** A line of a plan's file, in the order in which it is written. */
const planLine = z.object({
  drain: drainName,
  dlqId: text.regex(/^\d+-\d+$/) as unknown as z.ZodType<DlqId>,
  ...planned.shape,
  /** Redrives made so far that count. */
  attempt: z.number().default(0),
  /** Of a republish: which attempt it would be, from 1. Plans of earlier versions have none. */
  redrive: z.number().exactOptional(),
  /** Of a republish: by the service's own retry, in a call of its own. */
  via: z.literal("service").exactOptional(),
  /** It waits for a person already, so nothing is to be done. */
  already: z.literal(true).exactOptional(),
  /** Of a hold, if known: Unix ms. */
  until: z.number().exactOptional(),
  /** The newer letter that supersedes it. */
  by: (text as unknown as z.ZodType<DlqId>).exactOptional(),
  /** Of such a hold: the next decision, by time alone. */
  next: nextDecision.exactOptional(),
  /** When the source's retention ends: Unix ms. Plans of earlier versions have none. */
  expiresAt: z.number().exactOptional(),
  /** From here on for reading only. Without its query unless content is shown. */
  url: text.default(""),
  status: z.number().nullable().default(null),
  losses: z.array(text).readonly().exactOptional(),
  /** Values are masked unless content is shown. */
  changes: z
    .array(
      z.object({
        what: text,
        change: z.enum(["added", "removed", "changed"]),
        before: text.nullable(),
        after: text.nullable(),
      }),
    )
    .readonly()
    .exactOptional(),
  /** Only if content is shown: complete, as listed and as it would be published. */
  record: z.custom<RawRecord>().exactOptional(),
  becomes: z.custom<BatchItem>().exactOptional(),
});
export type PlanRecord = Readonly<z.infer<typeof planLine>>;
/** Another build may write more. */
export const planRecord = planLine
  .loose()
  .refine(({ then, item }) => item !== undefined || then !== "republish");

export function toPlanned(letter: Letter, headerPrefix: string): Planned {
  const { decision, raw, item } = letter;
  return {
    hash: hashRecord(raw),
    then: decision.then,
    reason: decision.reason,
    rule: decision.rule,
    ...(item === null ? {} : { item: hashItem(itemOf(letter), headerPrefix) }),
  };
}

export function toPlanRecord(drain: DrainRuntime, { letter, next }: Foreseen, show: Show): PlanRecord {
  const { config, source } = drain;
  const { headerPrefix } = source;
  const { decision, content, attempt, item: due } = letter;
  const isShown = show === "content";
  const isByService = due?.via === "service";
  const item = due === null || isByService ? undefined : itemOf(letter);
  const changes = item === undefined ? [] : describeRebuild(content, item, { headerPrefix, show });
  return defined({
    drain: config.name,
    dlqId: letter.dlqId,
    ...toPlanned(letter, headerPrefix),
    attempt,
    redrive: due?.lineage.attempt,
    via: isByService ? ("service" as const) : undefined,
    already: isParkedAlready(letter, config.rulesHash) ? (true as const) : undefined,
    until: decision.then === "hold" ? decision.until : undefined,
    by: "by" in decision ? decision.by : undefined,
    next: next ?? undefined,
    expiresAt: letter.isFromArchive ? undefined : letter.facts?.expiresAt,
    url: toShownUrl(content.url, show),
    status: letter.responseStatus ?? null,
    losses: due === null || due.losses.length === 0 ? undefined : due.losses,
    changes: changes.length === 0 ? undefined : changes,
    record: isShown ? letter.raw : undefined,
    becomes: isShown && item !== undefined ? withoutOwnHeaders(item, headerPrefix) : undefined,
  });
}

/** Parked already: for this reason and by these rules, or for a reason that only a person lifts; or in the archive. */
export function isParkedAlready({ decision, view, isFromArchive }: Letter, rulesHash: string): boolean {
  if (isFromArchive) return decision.then === "park";
  if (decision.then !== "park" || view.state !== "parked") return false;
  return decision.rule === null || (view.reason === decision.reason && view.rulesHash === rulesHash);
}

/** True if an apply has something to do with it. */
export function isAct({ then, already }: Pick<PlanRecord, "then" | "already">): boolean {
  return then !== "hold" && already !== true;
}

/** True if an apply sends, drops or parks it. Of a settled one only the delete is left. */
export function isNewAct(record: Pick<PlanRecord, "then" | "already">): boolean {
  return isAct(record) && record.then !== "settle";
}
