import type { Core } from "../../compose/build-core.ts";
import { readFailureViews } from "../../compose/failure-views.ts";
import { systemClock } from "../../compose/system-world.ts";
import { toSafeJson } from "../../message/write-safe-json.ts";
import type { HourlyArrivals } from "../../ports/failures.ts";
import { createFailureMatcher } from "../../redrive/failures/failure-matcher.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { readLaneStandings, type LaneStanding } from "../../redrive/plan/lane-standings.ts";
import type { DrainRuntime } from "../../redrive/runtime.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import { barsFor } from "../output/sparkline.ts";
import { chooseFailures } from "./choose.ts";
import { toFailureJson } from "./json.ts";
import { readSample, type Sample } from "./sample.ts";
import { toFailureText } from "./show-text.ts";

export interface FailureDetails {
  readonly failure: FailureView;
  /** Of all drains of its source. */
  readonly arrivals: HourlyArrivals;
  readonly lanes: readonly { readonly drain: string; readonly lane: LaneStanding }[];
  readonly sample: Sample;
}

/** One object or text for each source that has such a kind. */
export async function showFailure(core: Core, id: string, json: boolean, stop: Stop, io: Io): Promise<void> {
  const now = systemClock.now();
  const views = await readFailureViews(core, now);
  const signal = AbortSignal.any([stop.signal, stop.stopping]);
  const texts: string[] = [];
  for (const failure of chooseFailures(views, id)) {
    const recorded = new Set(views.filter(({ source }) => source === failure.source).map((one) => one.id));
    const details = await readDetails(core, failure, recorded, signal);
    if (json) io.out(`${toSafeJson(toJson(details))}\n`);
    else texts.push(toFailureText(io.columns, details, { now, bars: barsFor(io.env) }));
  }
  io.out(texts.join("\n"));
}

/** `sample` stays its id; what the rules do with one is `decided`. */
function toJson({ failure, arrivals, lanes, sample }: FailureDetails): object {
  return { ...toFailureJson(failure), arrivals, lanes, decided: sample };
}

async function readDetails(
  core: Core,
  failure: FailureView,
  recorded: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<FailureDetails> {
  const source = core.sources.get(failure.source)!.runtime;
  const own = failure.drains.toSorted((one, other) => other.waiting - one.waiting);
  const drains = own.flatMap(({ drain }) => core.drains.get(drain) ?? []);
  const arrivals = await readArrivals(drains, failure.id);
  const { id, sample } = failure;
  const isOfKind = createFailureMatcher(id, recorded);
  const lanes = await Promise.all(
    drains.map(async (drain) => {
      const lane = (await readLaneStandings(drain, [failure.origin])).get(failure.origin);
      return lane === undefined ? [] : [{ drain: drain.config.name, lane }];
    }),
  );
  return {
    failure,
    arrivals,
    lanes: lanes.flat(),
    sample: await readSample({ source, drains, sample, isOfKind, arrivals, signal }),
  };
}

async function readArrivals(drains: readonly DrainRuntime[], id: string): Promise<HourlyArrivals> {
  const sums: Record<string, number> = {};
  for (const { source, config } of drains) {
    const hours = (await source.passes.arrivals(config.name)).get(id) ?? {};
    for (const [hour, count] of Object.entries(hours)) sums[hour] = (sums[hour] ?? 0) + count;
  }
  return sums;
}
