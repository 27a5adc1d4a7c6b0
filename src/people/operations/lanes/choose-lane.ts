import type { BuiltSource, Core, SourceRuntime } from "../../../job/door.ts";
import { type DestinationName, namesOfOrigin } from "../../../job/message/destination-names.ts";
import { misused, RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { laneStates, type LaneView } from "../../../job/contracts/lanes.ts";
import { toDestinationText } from "../destination-text.ts";
import { toMeant } from "../nearest.ts";

export interface ChosenLane {
  readonly built: BuiltSource;
  readonly view: LaneView;
}

/** The one lane that a person means. Throws `command-misused` if there is none, or more than one. */
export async function chooseLane(
  { sources }: Pick<Core, "sources">,
  host: DestinationName,
  drain: string | undefined,
): Promise<ChosenLane> {
  const found: ChosenLane[] = [];
  for (const built of sources.values()) {
    const views = await findLanes(built.runtime, host, drain as DrainName | undefined);
    found.push(...views.map((view) => ({ built, view })));
  }
  const [only, ...others] = found;
  const where = drain === undefined ? "" : ` in drain ${drain}`;
  if (only === undefined) {
    const names = await namesOfLanes(sources.values());
    const meant = toMeant(host, names) || "; redriver lanes shows all";
    throw new RedriverError(
      "not-found",
      `no lane of ${toDestinationText(host)} is known${where}: its drain has no lanes, or nothing was tried for 7 days${meant}`,
    );
  }
  if (others.length === 0) return only;
  const origins = new Set(found.map(({ view }) => toDestinationText(view.origin)));
  const drains = new Set(found.map(({ view }) => view.drain));
  const advice = [
    ...(drains.size > 1 ? [`a drain with --drain (${[...drains].join(", ")})`] : []),
    ...(origins.size > 1 ? [`one origin (${[...origins].join(", ")})`] : []),
  ];
  throw misused(
    `${toDestinationText(host)} has ${found.length} lanes${where}; name ${advice.join(" and ") || "a drain of one source"}`,
  );
}

/** Of so many, those of the halted lanes first. A source may have one for every customer. */
const maxNames = 1_000;

async function namesOfLanes(sources: Iterable<BuiltSource>): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { runtime } of sources) {
    for await (const views of allLanes(runtime)) {
      names.push(...views.flatMap(({ origin }) => [toDestinationText(origin), ...namesOfOrigin(origin)]));
      if (names.length >= maxNames) return names;
    }
  }
  return names;
}

const perCall = 100;

/**
 * All lanes of a source: halted ones first, then in the order of `laneStates`, of each the last used first. A
 * lane that moves meanwhile may come twice or not at all. Throws `redis-unavailable`.
 */
export async function* allLanes(source: Pick<SourceRuntime, "lanes">): AsyncGenerator<readonly LaneView[]> {
  for (const state of laneStates) {
    for (let skip = 0; ; skip += perCall) {
      const views = await source.lanes.viewsIn(state, skip, perCall);
      // Fewer than asked for may be lanes that were forgotten a moment ago.
      if (views.length === 0) break;
      yield views;
    }
  }
}

/** The lanes of a destination, each once. `drain`: only this one's. Throws `redis-unavailable`. */
export async function findLanes(
  source: Pick<SourceRuntime, "lanes">,
  host: DestinationName,
  drain: DrainName | undefined,
): Promise<readonly LaneView[]> {
  const found = new Map<string, LaneView>();
  for await (const views of allLanes(source)) {
    for (const view of views) {
      const isOfDrain = drain === undefined || view.drain === drain;
      if (isOfDrain && namesOfOrigin(view.origin).includes(host)) found.set(view.lane, view);
    }
  }
  return [...found.values()];
}
