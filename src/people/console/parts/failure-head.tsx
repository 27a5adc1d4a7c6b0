/** What one kind of failure is: its answer, since when, a sample, and what people have said about it. */
import { toQuietEnd, toStateText } from "../../operations/failures/state-text.ts";
import { toExpiringCount, toTime } from "../../operations/phrases.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import type { ExpiringGroup } from "../../../job/contracts/queue-facts.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { toQuery } from "../query.ts";
import type { Html } from "../screen.ts";
import { PauseWords } from "./lane.tsx";
import { Fields } from "./fields.tsx";
import { DeadLetterLink } from "./links.tsx";
import { Foreign } from "./text.tsx";
import { Ago, Moment } from "./time.tsx";

interface HeadProps {
  readonly failure: FailureView;
  readonly pauses: readonly PauseRecord[];
  readonly others: readonly string[];
  readonly expiring: ExpiringGroup | null;
  readonly now: number;
}

export function FailureHead({ failure, pauses, others, expiring, now }: HeadProps): Html {
  const { origin, since, firstMetAt, lastSeenAt, isNew, isQuiet, note, quiet, sample, source, drain } =
    failure;
  return (
    <>
      <p class="hint">
        <Foreign text={origin} /> · failure <code>{failure.id}</code>{" "}
        {isNew ? <span class="new">new</span> : null}
        {isQuiet ? <span class="mark">quiet</span> : null}
      </p>
      <Fields
        of={[
          ["failing since", since && <Moment at={since} now={now} />],
          [
            "expires",
            expiring && (
              <>
                {toExpiringCount(expiring.count, expiring.earliestAt, now)} of these in 24 h, the first{" "}
                <Moment at={expiring.earliestAt} now={now} />
              </>
            ),
          ],
          [
            "first met",
            <>
              <Moment at={firstMetAt} now={now} />, by drain {drain}
            </>,
          ],
          ["last seen", <Moment at={lastSeenAt} now={now} />],
          ["sample", sample === null ? "none is known" : <DeadLetterLink source={source} dlqId={sample} />],
          ["state", <Foreign text={toStateText(failure, now)} isWhole />],
          ["note", note && <Note note={note} now={now} />],
          ["quiet", quiet && <Quiet quiet={quiet} failure={failure} />],
          ...pauses.map((pause) => ["this kind", <PauseWords pause={pause} />] as const),
          [
            "also on",
            others.length === 0 ? null : (
              <>
                {others.map((other) => (
                  <a href={`/failures/${failure.id}${toQuery({ source: other })}`}>source {other}</a>
                ))}
              </>
            ),
          ],
        ]}
      />
    </>
  );
}

type Known<Key extends "note" | "quiet"> = NonNullable<FailureView[Key]>;

function Note({ note, now }: Readonly<{ note: Known<"note">; now: number }>): Html {
  return (
    <>
      {note.ticket === "" ? null : (
        <b>
          <Foreign text={note.ticket} />{" "}
        </b>
      )}
      <Foreign text={note.text} isWhole /> (<Foreign text={note.by} />, <Ago at={note.at} now={now} />)
    </>
  );
}

function Quiet({ quiet, failure }: Readonly<{ quiet: Known<"quiet">; failure: FailureView }>): Html {
  return (
    <>
      until {quiet.until === "changed" ? "it changes" : toTime(quiet.until)}, by <Foreign text={quiet.by} />
      {toQuietEnd(failure)}
    </>
  );
}
