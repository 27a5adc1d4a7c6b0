/** What expires within a day, the earliest first, each with what would save it. */
import { toDestinationText } from "../../operations/destination-text.ts";
import { number, toClock, toExpiringCount, toOwnersText, toTime } from "../../operations/phrases.ts";
import { toEndOfHour } from "../../read/expiring.ts";
import { toSaveTexts, type Save } from "../../operations/status/expiring.ts";
import type { Status } from "../../operations/status/read.ts";
import type { Html } from "../screen.ts";
import { toQuery } from "../query.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { Table } from "./table.tsx";
import { Foreign } from "./text.tsx";
import { Ago, toAgo } from "./time.tsx";

const groupsShown = 20;

export function ExpiringFirst({
  status: {
    expiring: { groups, by },
    sources,
  },
  now,
}: Readonly<{ status: Pick<Status, "expiring" | "sources">; now: number }>): Html | null {
  const [first] = groups;
  if (first === undefined) return null;
  const more = groups.length - groupsShown;
  const kinds = sources.flatMap(({ failures }) => failures);
  const answers = new Map(kinds.map((kind) => [kind.id, toAnswerText(kind)]));
  return (
    <>
      <h2>What expires before {toClock(by, now)}</h2>
      <Table
        caption="What expires first"
        empty=""
        rows={groups.slice(0, groupsShown)}
        columns={({ column, amounts }) => [
          column("first", ({ earliestAt, inFirstHour, count }) =>
            earliestAt <= now ? (
              `since ${toClock(earliestAt, now)}`
            ) : (
              <>
                <Ago at={earliestAt} now={now} />, {toClock(earliestAt, now)}
                {inFirstHour === null || inFirstHour === count ? null : (
                  <span class="note">
                    {number(inFirstHour)} before {toClock(toEndOfHour(earliestAt), now)}
                  </span>
                )}
              </>
            ),
          ),
          // The next full pass counts what is left.
          amounts("expire", ({ count, earliestAt }) => toExpiringCount(count, earliestAt, now)),
          column("failure", ({ failure, origin, owner }) =>
            failure === null ? (
              <a href="/failures#of-no-drain">of no drain</a>
            ) : (
              <>
                <a href={`/failures/${failure}`}>
                  <Foreign text={answers.get(failure) ?? failure} isWhole />
                </a>
                {origin === null ? null : (
                  <span class="note">
                    <Foreign text={toDestinationText(origin)} />
                  </span>
                )}
                {owner && (
                  <span class="note">
                    <Foreign text={toOwnersText([owner], now)} />
                  </span>
                )}
              </>
            ),
          ),
          column("drain", ({ drains }) => drains.join(", ")),
          column("what saves them", (group) => (
            <>
              {[...new Map(toSaveTexts(group).map((one) => [one.act ?? one.text, one])).values()].map(
                (save) => (
                  <span class="save">
                    {save.act === undefined ? save.text : toSaveLink(save.act, save.text, group)}
                  </span>
                ),
              )}
            </>
          )),
        ]}
      />
      {more > 0 ? <p class="hint">and {number(more)} more</p> : null}
    </>
  );
}

/** Where a person does it. Its form has the command. */
function toSaveLink(
  act: Save["act"],
  text: string,
  { source, failure, drains }: Status["expiring"]["groups"][number],
): Html {
  const kind = `/failures/${failure}`;
  const [words, href] = {
    release: ["release what is parked", `/parked${toQuery({ source, failure })}`],
    resume: ["resume what is paused", "/#paused"],
    plan: ["make a plan of them", `/plans${toQuery({ drain: drains[0], failure })}`],
    probe: ["probe their destination", kind],
    rule: [text, kind],
    drain: [text, "/failures#of-no-drain"],
  }[act] as [string, string];
  return <a href={href}>{words}</a>;
}

const staleMs = 300_000;

/** Counted so long ago that it is no news. */
export function isStale({ asOf }: Pick<Status["expiring"], "asOf">, now: number): boolean {
  return asOf !== null && now - asOf > staleMs;
}

export function toExpiringHint(
  { count, atLeast, by, asOf, groups: [first] }: Status["expiring"],
  now: number,
): string {
  if (count === null) return atLeast > 0 ? `at least ${number(atLeast)}, still counting` : "not counted yet";
  const over = first !== undefined && first.earliestAt <= now;
  const since = over ? `; some may be gone since ${toClock(first.earliestAt, now)}` : "";
  return `by ${toTime(by).slice(5, 16)}${asOf === null ? "" : `, counted ${toAgo(asOf, now)}, less what is done since`}${since}`;
}
