import type { Core } from "../../../job/door.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import { allLanes } from "./find-lanes.ts";
import { lastProbeAtOf } from "../../read/lane-standings.ts";
import { readLaneNext, type LaneStatus } from "../status/read.ts";
import { whyNothingGoes, type WaitsFor } from "./why-nothing-goes.ts";

export interface LaneRow extends LaneStatus {
  readonly source: SourceId;
  /** Redis time, Unix ms. Null: it is not halted, or no probe was sent since it halted. */
  readonly lastProbeAt: number | null;
  readonly waitsFor: WaitsFor | null;
}

/**
 * The lanes of all sources of the document, of each by trouble. `isWhole`: the document loads. Throws
 * `redis-unavailable`.
 */
export async function* readLanes(
  core: Core,
  { drain, isWhole }: { readonly drain: string | undefined; readonly isWhole: boolean },
): AsyncGenerator<LaneRow> {
  const isAnyReplicaUp = (await core.replicas.all()).length > 0;
  for (const [source, built] of core.sources) {
    const pauses = await built.pauses.all();
    for await (const views of allLanes(built.runtime)) {
      const lanes = views.filter((view) => drain === undefined || view.drain === drain);
      const counts = { halted: 0, canary: 0, ramping: 0, open: 0 };
      const { reported } = await readLaneNext(core, { lanes, counts }, pauses);
      for (const lane of reported) {
        const surroundings = { isAnyReplicaUp, pauses, drain: isWhole ? core.drains.get(lane.drain) : null };
        yield {
          source,
          ...lane,
          lastProbeAt: lastProbeAtOf(lane),
          waitsFor: whyNothingGoes(lane, surroundings),
        };
      }
    }
  }
}
