/** What one kind of failure is: its answer, since when, a sample, and what people have said about it. */
import { toStateText } from "../../operations/failures/state-text.ts";
import { toTime } from "../../operations/phrases.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { toQuery } from "../query.ts";
import type { Html } from "../screen.ts";
import { PauseWords } from "./lane.tsx";
import { Foreign } from "./text.tsx";
import { Ago, Time } from "./time.tsx";

interface HeadProps {
  readonly failure: FailureView;
  readonly pauses: readonly PauseRecord[];
  readonly others: readonly string[];
  readonly now: number;
}

export function FailureHead({ failure, pauses, others, now }: HeadProps): Html {
  const { origin, since, firstMetAt, lastSeenAt, isNew, isQuiet, note, sample, source, drain } = failure;
  return (
    <>
      <p class="hint">
        <Foreign text={origin} /> · failure <code>{failure.id}</code>{" "}
        {isNew ? <span class="new">new</span> : null}
        {isQuiet ? <span class="mark">quiet</span> : null}
      </p>
      <dl>
        {since === null ? null : (
          <>
            <dt>failing since</dt>
            <dd>
              <Time at={since} /> (<Ago at={since} now={now} />)
            </dd>
          </>
        )}
        <dt>first met</dt>
        <dd>
          <Time at={firstMetAt} /> (<Ago at={firstMetAt} now={now} />
          ), by drain {drain}
        </dd>
        <dt>last seen</dt>
        <dd>
          <Time at={lastSeenAt} /> (<Ago at={lastSeenAt} now={now} />)
        </dd>
        <dt>sample</dt>
        <dd>
          {sample === null ? (
            "none is known"
          ) : (
            <a href={`/messages/${encodeURIComponent(source)}/${encodeURIComponent(sample)}`}>
              <Foreign text={sample} />
            </a>
          )}
        </dd>
        <dt>state</dt>
        <dd>
          <Foreign text={toStateText(failure, now)} isWhole />
        </dd>
        {note === null ? null : (
          <>
            <dt>note</dt>
            <dd>
              {note.ticket === "" ? null : (
                <b>
                  <Foreign text={note.ticket} />{" "}
                </b>
              )}
              <Foreign text={note.text} isWhole /> (<Foreign text={note.by} />, <Ago at={note.at} now={now} />
              )
            </dd>
          </>
        )}
        <Quiet failure={failure} />
        {pauses.map((pause) => (
          <>
            <dt>this kind</dt>
            <dd>
              <PauseWords pause={pause} />
            </dd>
          </>
        ))}
        {others.length === 0 ? null : (
          <>
            <dt>also on</dt>
            <dd>
              {others.map((other) => (
                <a href={`/failures/${failure.id}${toQuery({ source: other })}`}>source {other}</a>
              ))}
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function Quiet({ failure }: { readonly failure: FailureView }): Html | null {
  const { quiet, quietEnded, largestHour } = failure;
  if (quiet === null) return null;
  const over =
    quietEnded === "arrivals"
      ? `; over: ${largestHour} arrived in an hour, at most ${quiet.largestHour} before`
      : quietEnded === "rules"
        ? "; over: its rules decide otherwise now"
        : quietEnded === null
          ? ""
          : "; over";
  return (
    <>
      <dt>quiet</dt>
      <dd>
        until {quiet.until === "changed" ? "it changes" : toTime(quiet.until)}, by <Foreign text={quiet.by} />
        {over}
      </dd>
    </>
  );
}
