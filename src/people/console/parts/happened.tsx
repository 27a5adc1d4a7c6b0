/** What happened to a kind of failure and to its lanes: moves, probes with their results, acts of people. */
import type { StoredDetails } from "../../operations/failures/details.ts";
import { toHow, toResultText, toWhat } from "../../operations/failures/happened-text.ts";
import type { ProbedLetter, TimeLine } from "../../operations/failures/time-line.ts";
import type { FailureView } from "../../read/failure-views.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { toQuery } from "../query.ts";
import type { Html } from "../screen.ts";
import { DeadLetterLink } from "./links.tsx";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";
import { Time } from "./time.tsx";

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
        caption="Lane moves, probes, pauses, applies, discards and notes, newest first"
        empty={readTo === null ? "None of these is in the audit." : "The newest acts have none of these."}
        rows={entries}
        columns={({ column }) => [
          column("when", ({ at, orderedAt, until = at }) => (
            <Time at={until} since={orderedAt ?? at} isExact />
          )),
          column("what", toWhat),
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

/** `123-0: came back as 456-0 at …`, `123-0: the probe did not fail again, at …`. */
function Probed({
  probed: { dlqId, result },
  at,
  source,
  lane,
}: Readonly<{ probed: ProbedLetter; at: number; source: string; lane: LaneStanding | undefined }>): Html {
  return (
    <p>
      <DeadLetterLink source={source} dlqId={dlqId} />:{" "}
      {result.kind === "came-back" ? (
        <>
          came back as <DeadLetterLink source={source} dlqId={result.as} />
        </>
      ) : (
        <Foreign text={toResultText(result, at, lane)} />
      )}{" "}
      {"at" in result ? <Time at={result.at} isExact /> : null}
    </p>
  );
}
