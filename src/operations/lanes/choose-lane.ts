import type { BuiltSource } from "../../compose/build-source.ts";
import type { Core } from "../../compose/build-core.ts";
import type { DestinationName } from "../../message/destination-names.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { LaneView } from "../../ports/lanes.ts";
import { findLanes } from "../../redrive/lanes/find-lanes.ts";

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
    throw new RedriverError(
      "command-misused",
      `no lane of ${host} is known${where}: its drain has no lanes, or nothing was tried for 7 days; redriver lanes shows all`,
    );
  }
  if (others.length === 0) return only;
  const origins = new Set(found.map(({ view }) => view.origin));
  const drains = new Set(found.map(({ view }) => view.drain));
  const advice = [
    ...(drains.size > 1 ? [`a drain with --drain (${[...drains].join(", ")})`] : []),
    ...(origins.size > 1 ? [`one origin (${[...origins].join(", ")})`] : []),
  ];
  throw new RedriverError(
    "command-misused",
    `${host} has ${found.length} lanes${where}; name ${advice.join(" and ") || "a drain of one source"}`,
  );
}
