/** Releases what the ledger alone can choose: one dead letter, or all that a drain parked for one reason. */
import type { Core } from "../../compose/build-core.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { ParkReason } from "../../message/park-reasons.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { SourceId } from "../../ports/ids.ts";
import { visitParked, type FoundParked } from "./find.ts";
import { releaseFound, requireOwnReason } from "./release-found.ts";

interface ReleaseOrder {
  readonly reason: string;
  readonly by: string;
}

/** False: it is not parked, or no longer. */
export async function releaseOne(
  core: Core,
  { source: id, dlqId }: { readonly source: string; readonly dlqId: string },
  order: ReleaseOrder,
): Promise<boolean> {
  requireOwnReason(order.reason);
  const source = core.sources.get(id as SourceId)?.runtime;
  if (source === undefined) throw new RedriverError("command-misused", `no source has the id ${id}`);
  const { views } = await source.ledger.peek([dlqId as DlqId]);
  const [view] = views;
  if (view?.state !== "parked") return false;
  const hasDrain = core.drains.get(view.drain)?.config.source.id === source.config.id;
  return (await releaseFound(core, [{ dlqId: dlqId as DlqId, view, source, hasDrain }], order)) > 0;
}

/** Answers how many were released. */
export async function releaseAllFor(
  core: Core,
  { drain, for: reason }: { readonly drain: string; readonly for: ParkReason },
  order: ReleaseOrder,
  signal: AbortSignal,
): Promise<number> {
  requireOwnReason(order.reason);
  const found: FoundParked[] = [];
  const selection = { filter: { drain, for: reason }, listing: "if-needed" } as const;
  await visitParked(core, selection, { signal, stopping: signal }, (one) => found.push(one));
  return releaseFound(core, found, order);
}
