/** Releases what the ledger alone can choose: one dead letter, or all that a drain parked for one reason. */
import type { Core } from "../../../job/door.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import { findUseless } from "./find-useless.ts";
import { visitParked, type FoundParked } from "./find.ts";
import { releaseFound, requireOwnReason } from "./release-found.ts";

interface ReleaseOrder {
  readonly reason: string;
  readonly by: string;
}

/** `useless`: it would only be parked again for this, so nothing was done. */
export type ReleasedOne =
  | { readonly kind: "released" | "not-parked" }
  | { readonly kind: "useless"; readonly reason: ParkReason };

export async function releaseOne(
  core: Core,
  { source: id, dlqId }: { readonly source: string; readonly dlqId: string },
  order: ReleaseOrder,
  signal: AbortSignal,
): Promise<ReleasedOne> {
  requireOwnReason(order.reason);
  const source = core.sources.get(id as SourceId)?.runtime;
  if (source === undefined) throw new RedriverError("command-misused", `no source has the id ${id}`);
  const { views } = await source.ledger.peek([dlqId as DlqId]);
  const [view] = views;
  if (view?.state !== "parked") return { kind: "not-parked" };
  const hasDrain = core.drains.get(view.drain)?.config.source.id === source.config.id;
  const one: FoundParked = { dlqId: dlqId as DlqId, view, source, hasDrain };
  const { reasons } = await findUseless(core, [one], { signal, stopping: signal });
  const reason = reasons.get(one);
  if (reason !== undefined) return { kind: "useless", reason };
  return { kind: (await releaseFound(core, [one], order)) > 0 ? "released" : "not-parked" };
}

/** How many were released, and how many were not, because they would only be parked again. */
export interface ReleasedAll {
  readonly released: number;
  readonly useless: number;
}

export async function releaseAllFor(
  core: Core,
  { drain, for: reason }: { readonly drain: string; readonly for: ParkReason },
  order: ReleaseOrder,
  signal: AbortSignal,
): Promise<ReleasedAll> {
  requireOwnReason(order.reason);
  const found: FoundParked[] = [];
  const selection = { filter: { drain, for: reason }, listing: "if-needed" } as const;
  await visitParked(core, selection, { signal, stopping: signal }, (one) => found.push(one));
  const { reasons } = await findUseless(core, found, { signal, stopping: signal });
  const helped = found.filter((one) => !reasons.has(one));
  return { released: await releaseFound(core, helped, order), useless: reasons.size };
}
