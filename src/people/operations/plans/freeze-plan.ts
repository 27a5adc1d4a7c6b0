/** Lists what drains select, sums it up, and writes it down line by line. Changes nothing of it. */
import {
  type Core,
  type DrainRuntime,
  type ListingSignals,
  freezeRange,
  type FrozenRange,
  withNewer,
} from "../../../job/door.ts";
import { toOrdered } from "./discard.ts";
import { addressOf, readHostPauses, readPause } from "../drain-pause-and-address.ts";
import { systemClock } from "../../../system-world.ts";
import type { Show } from "../../../job/message/show-masked-values.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import type { DlqId } from "../../../job/message/dead-letter.ts";
import { areDisjoint } from "../../../job/message/select.ts";
import type { ArchiveDamage } from "../../../job/contracts/archive.ts";
import type { HostPause } from "../../../job/contracts/pauses.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import type { Foreseen } from "../../plan/foresee-next-decision.ts";
import { readOtherLanes, type OtherLane } from "../../read/lane-standings.ts";
import { damagesOf } from "../../plan/archived-letters.ts";
import { planDrain, type DrainReport } from "../../plan/plan-drain.ts";
import { createPlanWriter, planVersion, type PlanHead } from "../../plan/plan-file.ts";
import type { PlanRecord } from "../../plan/plan-file-record.ts";
import type { Keeper } from "./keep-plan.ts";

export interface PlanReport {
  readonly createdAt: number;
  readonly documentHash: string;
  /** `none`: what was published, parked or paused before is not known. */
  readonly ledger: Core["ledger"];
  readonly filter: PlanFilter;
  /** False when it was stopped before all was read. */
  readonly complete: boolean;
  /** Of the archive: what it hides is in no part. Absent: there is none. */
  readonly damaged?: readonly ArchiveDamage[];
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
  readonly version: string;
  /** Of a plan in Redis; null: it is not kept there. */
  readonly keeper: Keeper | null;
  /** Called for each drain before any is listed: the destinations that are paused for it. */
  readonly onHostPauses?: (drain: DrainName, pauses: readonly HostPause[]) => void;
  readonly write?: (line: string) => Promise<void>;
  readonly onRecord?: (record: Foreseen, line: PlanRecord) => void;
  readonly onPage?: (drain: DrainName, page: { readonly listed: number; readonly planned: number }) => void;
}

/** The plan is whole only if the report is complete, or it ends as such. Throws as `planDrain` does. */
export async function freezePlan(run: FreezeRun): Promise<PlanReport> {
  const { keeper, signals } = run;
  const stopping = AbortSignal.any([signals.stopping, ...(keeper === null ? [] : [keeper.signal])]);
  try {
    const report = await freeze(run, { ...signals, stopping });
    await (report.complete ? keeper?.complete(report) : keeper?.abandon(stopping));
    return report;
  } catch (error) {
    await keeper?.abandon(stopping, error);
    throw error;
  }
}

async function freeze(run: FreezeRun, signals: ListingSignals): Promise<PlanReport> {
  const { core, filter, show, keeper } = run;
  const write = (line: string) => Promise.all([keeper?.write(line), run.write?.(line)]);
  const drains = run.drains.map((drain) => toOrdered(core, drain, filter));
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
  await write(writer.head(head));
  const reports: PlanReport["drains"][number][] = [];
  const taken = new Map<SourceId, Set<DlqId>>();
  let complete = true;
  try {
    const knowing: DrainRuntime[] = [];
    for (const [drain, range] of ranges) knowing.push(await withNewer(drain, range, signals));
    for (const [at, range] of [...ranges.values()].entries()) {
      const drain = knowing[at]!;
      const { source, config } = drain;
      const { id } = source.config;
      const later = knowing
        .slice(at + 1)
        .filter((one) => one.source === source && !areDisjoint(one.config.select, config.select));
      const beside = { taken: taken.get(id) ?? new Set<DlqId>(), later };
      taken.set(id, beside.taken);
      const onRecord = async (record: Foreseen, line: PlanRecord): Promise<void> => {
        keeper?.count(line);
        run.onRecord?.(record, line);
        await write(writer.record(line));
      };
      const onPage: Parameters<typeof planDrain>[0]["onPage"] = (page) => {
        keeper?.onPage(drain.config.name, page);
        run.onPage?.(drain.config.name, page);
      };
      const report = await planDrain({ drain, beside, range, filter, show, signals, onRecord, onPage });
      const { host } = addressOf(core, drain);
      const origins = report.estimate.destinations.top.map(({ origin }) => origin);
      const otherLanes = await readOtherLanes(core, drain, origins);
      reports.push({ ...report, host, pausedBy: await readPausedBy(core, drain), otherLanes });
    }
    await write(writer.end());
  } catch (error) {
    if (!signals.stopping.aborted) throw error;
    complete = false;
  }
  const damages = damagesOf(drains);
  const damaged = damages.length > 0 && { damaged: damages };
  return { createdAt, documentHash, ledger: core.ledger, filter, complete, ...damaged, drains: reports };
}

async function readPausedBy(core: Core, drain: DrainRuntime): Promise<string | null> {
  const pause = await readPause(core, drain);
  if (pause !== undefined) return `by ${pause.by}: ${pause.reason}`;
  return drain.config.paused ? "by the drains document" : null;
}
