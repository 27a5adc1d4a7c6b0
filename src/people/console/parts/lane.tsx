/** How a destination is tried now, and who holds it back, in a few words. */
import type { HostPause, PauseRecord } from "../../../job/contracts/pauses.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import type { Html } from "../screen.ts";
import { Foreign } from "./text.tsx";
import { Time, toCoarse } from "./time.tsx";
import { Word } from "./word.tsx";
import { toNextStepText } from "../../operations/lane-words.ts";

/** `halted for 4m · next probe in 10s`. What is paused, and what nothing waits for, has no next step. */
export function LaneWords({ lane, hasNext }: Readonly<{ lane: LaneStanding; hasNext: boolean }>): Html {
  const { state, sinceMs } = lane;
  return (
    <>
      <Word word={state} name={state === "halted" ? "bad" : state === "open" ? "good" : "warn"} />
      {sinceMs === null ? null : ` for ${formatDuration(toCoarse(sinceMs))}`}
      {hasNext ? toNext(lane) : null}
    </>
  );
}

function toNext(lane: LaneStanding): string {
  const { state, sent, size } = lane;
  if (state === "open") return "";
  return ` · ${state === "halted" ? "" : `${sent} of ${size} sent, `}${toNextStepText(lane)}`;
}

/** `paused by ann until 14:00: being fixed`. */
export function PauseWords({
  pause: { by, until, reason },
}: Readonly<{ pause: PauseRecord | HostPause }>): Html {
  return (
    <>
      <span class="warn">paused</span> by <Foreign text={by} />{" "}
      {until === undefined ? (
        "until somebody resumes it"
      ) : (
        <>
          until <Time at={until} isExact />
        </>
      )}
      : <Foreign text={reason} />
    </>
  );
}
