/** What a person does to one destination of one drain. */
import type { HostPause } from "../../../job/contracts/pauses.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { brake as brakeAct } from "../../operations/acts/brake.ts";
import { pause as pauseAct } from "../../operations/acts/pause.ts";
import { probe as probeAct } from "../../operations/acts/lanes-probe.ts";
import { reset as resetLaneAct } from "../../operations/acts/lanes-reset.ts";
import { resume as resumeAct } from "../../operations/acts/resume.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { toProber } from "../../operations/lane-words.ts";
import { dueNow } from "./needs.tsx";
import { Acts } from "./act-form.tsx";

interface DestinationActsProps {
  readonly drain: string;
  readonly origin: string;
  /** Null: its drain has no lanes, or nothing waits there. */
  readonly lane: LaneStanding | null;
  readonly pause: HostPause | null;
  readonly context: ScreenContext;
}

export function DestinationActs({ drain, origin, lane, pause, context }: DestinationActsProps): Html {
  const values = { drains: drain, host: origin };
  const ofLane = { drain, host: origin };
  const config = context.core.drains.get(drain as DrainName)?.config;
  const hasBrake = config?.source.brake !== undefined;
  const ofProbe = toProber(config?.mode) === "apply" ? dueNow : { title: "Probe its lane now" };
  const isHalted = lane?.state === "halted" && lane.sent === 0;
  const isTried = lane !== null && lane.sinceMs !== null;
  return (
    <Acts
      of={[
        pause === null && { act: pauseAct, title: "Pause the destination", values },
        hasBrake && { act: brakeAct, values: { host: origin } },
        pause !== null && { act: resumeAct, title: "Resume the destination", values: toPauseValues(pause) },
        isHalted && { act: probeAct, ...ofProbe, values: ofLane },
        isTried && { act: resetLaneAct, values: ofLane },
      ]}
      context={context}
    />
  );
}

/** A pause is ended as it was given. */
function toPauseValues({ drain, host }: HostPause): Readonly<Record<string, string>> {
  return drain === "*" ? { host } : { drains: drain, host };
}
