/** Lists what drains select, sums it up, and writes it down as a plan's file. Changes nothing. */
import {
  type Core,
  type DrainRuntime,
  type ListingSignals,
  freezeRange,
  type FrozenRange,
} from "../../../job/door.ts";
import { requireArchive, toOrdered } from "./discard.ts";
import { addressOf, readHostPauses, readPause } from "../drain-pause-and-address.ts";
import { systemClock } from "../../../system-world.ts";
import type { Show } from "../../../job/message/show-masked-values.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { HostPause } from "../../../job/contracts/pauses.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import type { Foreseen } from "../../plan/foresee-next-decision.ts";
import { readOtherLanes, type OtherLane } from "../../read/other-lanes.ts";
import { planDrain, type DrainReport } from "../../plan/plan-drain.ts";
import { createPlanWriter, planVersion, type PlanHead } from "../../plan/plan-file.ts";
import { toPlanRecord, type PlanRecord } from "../../plan/plan-file-record.ts";

export interface PlanReport {
  /** Unix ms. */
  readonly createdAt: number;
  readonly documentHash: string;
  /** `none`: what was published, parked or paused before is not known. */
  readonly ledger: Core["ledger"];
  readonly filter: PlanFilter;
  /** False when it was stopped before all was read. */
  readonly complete: boolean;
  readonly drains: readonly (DrainReport & {
    readonly drain: DrainName;
    readonly host: string;
    readonly pausedBy: string | null;
    /** Of other drains, to the destinations with most of its messages. Absent: an older build has made it. */
    readonly otherLanes?: readonly OtherLane[];
  })[];
}

export interface FreezeRun {
  readonly core: Core;
  readonly drains: readonly DrainRuntime[];
  readonly filter: PlanFilter;
  readonly show: Show;
  readonly signals: ListingSignals;
  /** Of redriver. */
  readonly version: string;
  /** Called for each drain before any is listed: the destinations that are paused for it. */
  readonly onHostPauses?: (drain: DrainName, pauses: readonly HostPause[]) => void;
  /** Called with each line of the file; null if nobody keeps it. */
  readonly write: ((line: string) => Promise<void>) | null;
  /** Called with each record before it is written; absent: nobody looks at single records. */
  readonly onRecord?: (record: Foreseen, line: PlanRecord) => void;
  readonly onPage: (drain: DrainName, page: { readonly listed: number; readonly planned: number }) => void;
}

/** `records`: of all drains. The file is whole only if the report is complete. Throws as `planDrain` does. */
export async function freezePlan(
  run: FreezeRun,
): Promise<{ readonly report: PlanReport; readonly records: number }> {
  const { core, filter, show, signals, write, onRecord } = run;
  requireArchive(core, filter);
  const drains = run.drains.map((drain) => toOrdered(drain, filter));
  const createdAt = systemClock.now();
  const documentHash = core.document.hash;
  // All horizons are fixed before anything is listed, so that no drain's part is younger than another's.
  const ranges = new Map<DrainRuntime, FrozenRange>();
  for (const drain of drains) {
    run.onHostPauses?.(drain.config.name, await readHostPauses(core, drain));
    ranges.set(drain, await freezeRange(drain, signals.signal));
  }

  const writer = createPlanWriter();
  const head: PlanHead = {
    redriverPlan: planVersion,
    createdAt,
    version: run.version,
    documentHash,
    flags: { ...filter, showContent: show === "content" },
    drains: [...ranges].map(([drain, { from, to }]) => {
      const { config, source } = drain;
      const { host, hash: address } = addressOf(core, drain);
      const { name, rulesHash } = config;
      return { drain: name, source: source.config.id, address, host, rulesHash, from, to };
    }),
  };
  await write?.(writer.head(head));
  let records = 0;
  const reports: PlanReport["drains"][number][] = [];
  let complete = true;
  try {
    for (const [drain, range] of ranges) {
      const take = async (record: Foreseen): Promise<void> => {
        records += 1;
        if (write === null && onRecord === undefined) return;
        const line = toPlanRecord(drain, record, show);
        onRecord?.(record, line);
        await write?.(writer.record(line));
      };
      const onPage: Parameters<typeof planDrain>[0]["onPage"] = (page) => run.onPage(drain.config.name, page);
      const report = await planDrain({ drain, range, filter, show, signals, onRecord: take, onPage });
      const { host } = addressOf(core, drain);
      const origins = report.estimate.destinations.top.map(({ origin }) => origin);
      const otherLanes = await readOtherLanes(core, drain, origins);
      reports.push({ ...report, host, pausedBy: await readPausedBy(core, drain), otherLanes });
    }
    await write?.(writer.end());
  } catch (error) {
    if (!signals.stopping.aborted) throw error;
    complete = false;
  }
  return {
    report: { createdAt, documentHash, ledger: core.ledger, filter, complete, drains: reports },
    records,
  };
}

async function readPausedBy(core: Core, drain: DrainRuntime): Promise<string | null> {
  const pause = await readPause(core, drain);
  if (pause !== undefined) return `by ${pause.by}: ${pause.reason}`;
  return drain.config.paused ? "by the drains document" : null;
}
