import { z } from "zod";
import type { Core } from "../../../job/door.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import { laneStates } from "../../../job/contracts/lanes.ts";
import { filter } from "../fields.ts";
import { count, defineReading, next, time, toPage } from "../reading.ts";
import { allLanes } from "./choose-lane.ts";
import { lastProbeAtOf } from "../../read/lane-standings.ts";
import { readLaneNext, type LaneStatus } from "../status/read.ts";
import { whyNothingGoes, type WaitsFor } from "./acts.ts";

export interface LaneRow extends LaneStatus {
  readonly source: SourceId;
  /** Redis time, Unix ms. Null: it is not halted, or no probe was sent since it halted. */
  readonly lastProbeAt: number | null;
  readonly waitsFor: WaitsFor | null;
}

/** Of all sources, of each by trouble. `isWhole`: the document loads. Throws `redis-unavailable`. */
export async function* readLanes(
  core: Core,
  { drain: asked, isWhole }: { readonly drain: string | undefined; readonly isWhole: boolean },
): AsyncGenerator<LaneRow> {
  const isAnyReplicaUp = (await core.replicas.all()).length > 0;
  for (const [source, built] of core.sources) {
    const pauses = await built.pauses.all();
    for await (const views of allLanes(built.runtime)) {
      const lanes = views.filter((view) => asked === undefined || view.drain === asked);
      for (const lane of await readLaneNext(core, lanes, pauses)) {
        const drain = isWhole ? core.drains.get(lane.drain) : null;
        const waitsFor = whyNothingGoes(lane, { isAnyReplicaUp, pauses, drain });
        yield { source, ...lane, lastProbeAt: lastProbeAtOf(lane), waitsFor };
      }
    }
  }
}

const lane = z.object({
  source: z.string(),
  lane: z.string(),
  step: count,
  drain: z.string(),
  origin: z.string(),
  state: z.enum(laneStates),
  since: time,
  why: z.string(),
  size: count,
  sent: count,
  comeBacks: z.object({ down: count, refused: count }),
  unknown: count,
  nextAt: time.nullable(),
  isShaky: z.boolean(),
  totals: z.object({ canaries: count, comeBacks: count, halts: count }),
  lastUsedAt: time,
  nextInMs: z.number().nullable(),
  awaitsLook: z.boolean(),
  hostPaused: z.boolean(),
  lastProbeAt: time.nullable(),
  waitsFor: z.string().nullable(),
});

export const lanesReading = defineReading({
  path: "/lanes",
  summary: "How each destination is tried, by trouble",
  command: {
    words: "lanes list",
    about: "all lanes: halted ones first, then those that are tried, then open ones",
  },
  needs: "names",
  input: z.strictObject({
    drain: filter("only of this drain", "name"),
  }),
  isPaged: true,
  answer: z.object({ lanes: z.array(lane), next }),
  async run({ core, input: { drain }, isWhole, page }) {
    const { rows, next: from } = await toPage(readLanes(core, { drain, isWhole }), page);
    return { lanes: rows, next: from };
  },
});
