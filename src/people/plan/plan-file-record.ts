import type { BatchItem, DlqId, RawRecord } from "../../job/message/dead-letter.ts";
import { defined } from "../../job/message/defined.ts";
import { describeRebuild, type RebuildRow } from "../../job/message/describe-rebuild.ts";
import type { Loss } from "../../job/message/loss-kinds.ts";
import { type Show, toShownUrl } from "../../job/message/show-masked-values.ts";
import type { DrainName } from "../../job/contracts/ids.ts";
import type { Decision } from "../../job/rules/decision.ts";
import type { DrainRuntime, Letter } from "../../job/door.ts";
import { itemOf } from "../../job/door-pure.ts";
import type { Foreseen, NextDecision } from "./foresee-next-decision.ts";
import { hashRecord, hashItem, withoutOwnHeaders } from "./plan-hashes.ts";

/** The parts of a decision that must be the same again before apply acts on it. */
export interface Planned {
  /** Of the record as it was listed. */
  readonly hash: string;
  readonly then: Decision["then"];
  readonly reason: string;
  readonly rule: string | null;
  /** Hash of the item to publish; only for a republish. */
  readonly item?: string;
  /** As it is listed, before rules change it. Not compared. */
  readonly host?: string;
}

export interface PlanRecord extends Planned {
  readonly drain: DrainName;
  readonly dlqId: DlqId;
  /** Redrives made so far that count. */
  readonly attempt: number;
  /** Of a republish: which attempt it would be, from 1. */
  readonly redrive?: number;
  /** Of a republish: by the service's own retry, in a call of its own. */
  readonly via?: "service";
  /** It waits for a person already, so nothing is to be done. */
  readonly already?: true;
  /** Of a hold, if known: Unix ms. */
  readonly until?: number;
  /** The newer letter that supersedes it. */
  readonly by?: DlqId;
  /** Of such a hold: the next decision, by time alone. */
  readonly next?: NextDecision;
  /** When the source's retention ends: Unix ms. Plans of earlier versions have none. */
  readonly expiresAt?: number;
  /** From here on for reading only. Without its query unless content is shown. */
  readonly url: string;
  readonly status: number | null;
  readonly losses?: readonly Loss[];
  /** Values are masked unless content is shown. */
  readonly changes?: readonly RebuildRow[];
  /** Only if content is shown: complete, as listed and as it would be published. */
  readonly record?: RawRecord;
  readonly becomes?: BatchItem;
}

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
