/** What a person does to one destination of one drain. Each says why if it cannot be done now. */
import type { HostPause } from "../../../job/contracts/pauses.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { brake as brakeAct } from "../../operations/acts/brake.ts";
import { pause as pauseAct } from "../../operations/acts/pause.ts";
import { probe as probeAct } from "../../operations/acts/lanes-probe.ts";
import { reset as resetLaneAct } from "../../operations/acts/lanes-reset.ts";
import { resume as resumeAct } from "../../operations/acts/resume.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { ActForm } from "./act-form.tsx";

interface DestinationActsProps {
  readonly drain: string;
  readonly origin: string;
  /** Null: its drain has no lanes, or nothing waits there. */
  readonly lane: LaneStanding | null;
  readonly pauses: readonly HostPause[];
  readonly context: ScreenContext;
}

export function DestinationActs({ drain, origin, lane, pauses, context }: DestinationActsProps): Html {
  const [pause] = pauses;
  const values = { drains: drain, host: origin };
  const ofLane = { drain, host: origin };
  const brake = context.core.drains.get(drain as DrainName)?.config.source.brake;
  return (
    <div class="acts">
      <ActForm
        act={pauseAct}
        title="Pause the destination"
        values={values}
        context={context}
        disabled={pause === undefined ? null : "it is paused"}
      />
      {brake && <ActForm act={brakeAct} values={{ host: origin }} context={context} />}
      <ActForm
        act={resumeAct}
        title="Resume the destination"
        values={pause === undefined ? values : toPauseValues(pause)}
        context={context}
        disabled={pause === undefined ? "it is not paused" : null}
      />
      <ActForm
        act={probeAct}
        title="Probe its lane now"
        values={ofLane}
        context={context}
        disabled={lane?.state === "halted" && lane.sent === 0 ? null : "only a halted lane, once at a time"}
      />
      <ActForm
        act={resetLaneAct}
        values={ofLane}
        context={context}
        disabled={lane === null || lane.sinceMs === null ? "nothing was tried by it yet" : null}
      />
    </div>
  );
}

/** A pause is ended as it was given. */
export function toPauseValues({ drain, host }: HostPause): Readonly<Record<string, string>> {
  return drain === "*" ? { host } : { drains: drain, host };
}
