/** What happened to a kind of failure and to its lanes: moves, probes with their results, acts of people. */
import type { StoredDetails } from "../../operations/failures/details.ts";
import {
  probeFailedAgain,
  type ProbedLetter,
  type TimeLine,
  type TimeLineEntry,
} from "../../operations/failures/time-line.ts";
import { laneMoveText, reasonText } from "../../operations/history/rows.ts";
import { number, present } from "../../operations/phrases.ts";
import type { FailureView } from "../../read/failure-views.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toQuery } from "../query.ts";
import type { Html } from "../screen.ts";
import { DeadLetterLink } from "./dead-letter-link.tsx";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";
import { Time } from "./time.tsx";
import { toNextStepText } from "../../operations/lane-words.ts";

interface HappenedProps {
  readonly failure: Pick<FailureView, "origin" | "source">;
  readonly timeLine: TimeLine;
  readonly lanes: StoredDetails["lanes"];
}

export function Happened({ failure, timeLine: { entries, readTo }, lanes }: HappenedProps): Html {
  return (
    <>
      <h2>What happened</h2>
      <Table
        caption="Lane moves, probes, pauses, discards and notes, newest first"
        empty={toNothing(readTo)}
        rows={entries}
        columns={({ column }) => [
          column("when", ({ at }) => <Time at={at} />),
          column("what", ({ act, probed, discarded }) =>
            discarded !== undefined ? "discarded" : probed === undefined ? act : "probe sent",
          ),
          column("drain", ({ drain }) => drain ?? "all"),
          column("how", (entry) =>
            entry.probed === undefined ? (
              <Foreign text={toHow(entry)} isWhole />
            ) : (
              <>
                {entry.probed.map((probed) => (
                  <Probed
                    probed={probed}
                    at={entry.at}
                    source={failure.source}
                    lane={lanes.find(({ drain }) => drain === entry.drain)?.lane}
                  />
                ))}
              </>
            ),
          ),
          column("by", ({ by }) => <Foreign text={by} />),
        ]}
      />
      {readTo === null ? null : (
        <p class="hint">
          Read back to <Time at={readTo} />.{" "}
          <a href={`/history${toQuery({ host: failure.origin })}`}>History has what was before.</a>
        </p>
      )}
    </>
  );
}

function toNothing(readTo: number | null): string {
  const what =
    "Moves of its lane, probes and their results, pauses, discards, notes and quiet orders stand here once there are any.";
  return readTo === null
    ? `${what} The audit has none of them.`
    : `${what} The newest acts of the audit have none of them; older ones were not read.`;
}

/** `123-0 came back as 456-0 at …`, `123-0: the probe did not fail again, at …`. */
function Probed({
  probed: { dlqId, result },
  at,
  source,
  lane,
}: Readonly<{ probed: ProbedLetter; at: number; source: string; lane: LaneStanding | undefined }>): Html {
  const letter = <DeadLetterLink source={source} dlqId={dlqId} />;
  switch (result.kind) {
    case "came-back":
      return (
        <p>
          {letter} came back as <DeadLetterLink source={source} dlqId={result.as} /> <Time at={result.at} />
        </p>
      );
    case "judged":
      return (
        <p>
          {letter}: <Foreign text={result.why} /> <Time at={result.at} />
        </p>
      );
    case "stayed-halted":
      return (
        <p>
          {letter}: {result.why ?? "nothing came of it that opened the lane, so another probe followed"}
        </p>
      );
    case "reset":
      return <p>{letter}: the lane was reset before its result was known</p>;
    case "newest":
      return (
        <p>
          {letter}: <Foreign text={toNewestResult(lane, at)} />
        </p>
      );
  }
}

/** Its `why` is of the halt or of a probe before, until the one of that time is sent and judged. */
function toNewestResult(lane: LaneStanding | undefined, at: number): string {
  if (lane?.state !== "halted") return "its result is not in the audit";
  if ((lane.lastProbeAt ?? 0) < at) return "no result yet";
  if (lane.sent > 0) return toNextStepText(lane);
  return lane.why?.startsWith(probeFailedAgain) === true ? lane.why : "no result yet";
}

function toHow(entry: TimeLineEntry): string {
  const { host, forMs, why, discarded } = entry;
  const parts = [
    laneMoveText(entry),
    discarded === undefined ? reasonText(entry) : `${number(discarded)} archived, then deleted`,
    host,
    forMs !== undefined && `for ${formatDuration(forMs)}`,
    why,
  ];
  return present(parts).join("; ");
}
