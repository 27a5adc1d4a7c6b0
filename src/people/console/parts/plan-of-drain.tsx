/**
 * A drain's part of a plan: what would be done and why, and what is left alone. It may be shown a day after it was
 * made, so what was read beside the records stands with that time, and times to come are times of the day.
 */
import { toDestinationText } from "../../operations/destination-text.ts";
import {
  settledText,
  toDecisionText,
  toHold,
  toLeastText,
  toOtherLaneText,
  toThenText,
} from "../../operations/plans/decision-text.ts";
import type { PlanReport } from "../../operations/plans/freeze-plan.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { number, present, toClock } from "../../operations/phrases.ts";
import { sumOf } from "../../read/totals.ts";
import type { Html } from "../screen.ts";
import { Fields } from "./fields.tsx";
import { ShareBar, ShareCell } from "./share-bar.tsx";
import { Table } from "./table.tsx";
import { Foreign, Points } from "./text.tsx";
import { Tiles } from "./tiles.tsx";
import { Time } from "./time.tsx";

type DrainPart = PlanReport["drains"][number];
type RulePart = DrainPart["rules"][number];

interface Props {
  readonly drain: DrainPart;
}

const decisionWords = [
  ["republish", "send again", "good"],
  ["drop", "drop", "bad"],
  ["park", "park", "warn"],
  ["settle", settledText, ""],
  ["hold", "hold", "soft"],
] as const;

export function PlanOfDrain({ drain, createdAt }: Props & { readonly createdAt: number }): Html {
  const now = createdAt + drain.clock.serviceAheadMs;
  const isEmpty = drain.planned === 0 && !drain.cut;
  return (
    <>
      <h2>
        {drain.drain} on <Foreign text={drain.host} />
      </h2>
      {isEmpty ? (
        <p>Nothing is selected of {number(drain.listed)} records.</p>
      ) : (
        <Planned {...{ drain, createdAt, now }} />
      )}
      <LeftAlone drain={drain} now={now} />
      <Samples drain={drain} />
    </>
  );
}

function Planned({
  drain,
  createdAt,
  now,
}: Props & { readonly createdAt: number; readonly now: number }): Html {
  return (
    <>
      <p>
        {number(drain.planned)} records that entered until <Time at={drain.range.to} />, of{" "}
        {number(drain.listed)} that were listed.
      </p>
      <Decisions decisions={drain.decisions} of={drain.planned} isDiscard={isDiscardOf(drain)} />
      <Warnings drain={drain} createdAt={createdAt} />
      <Limits drain={drain} />
      <Destinations drain={drain} />
      <Failures drain={drain} />
      <Rules drain={drain} now={now} />
    </>
  );
}

/** How many records it decides how. `of`: all of them. `isDiscard`: a person's order drops them. */
export function Decisions({
  decisions,
  of,
  isDiscard,
}: Readonly<{ decisions: Readonly<Record<string, number>>; of: number; isDiscard: boolean }>): Html {
  const counts = decisionWords.map(([then, words, name]) => ({
    count: decisions[then] ?? 0,
    words: then === "drop" && isDiscard ? "discard" : words,
    name,
  }));
  return (
    <>
      <ShareBar
        heightPx={14}
        shares={counts.map(({ count, name }) => ({ share: count / Math.max(1, of), name }))}
        label={counts.map(({ count, words }) => `${number(count)} ${words}`).join(", ")}
      />
      <Tiles
        of={counts
          .filter(({ count }) => count > 0)
          .map(({ count, words, name }) => ({ count, name: words, line: name || "bar" }))}
      />
    </>
  );
}

function isDiscardOf({ rules }: DrainPart): boolean {
  return rules.some(({ reasons }) => reasons.some(({ reason }) => reason === "discarded"));
}

function Warnings({
  drain: { pausedBy, room, archive, decisions, lanes, otherLanes = [] },
  createdAt,
}: Props & { readonly createdAt: number }): Html | null {
  const texts = present([
    pausedBy !== null && `The drain was paused ${pausedBy}: an apply does nothing until it is resumed.`,
    ...room.closedGuards.map(
      ({ index, field, value, holdsAt, resumesAt }) =>
        `The guard of index ${index} was closed, and nothing new is published until it opens: ${field} was ${value ?? "not known"} (holds ${holdsAt}, resumes ${resumesAt}).`,
    ),
    archive === "missing" &&
      decisions.drop > 0 &&
      "There was no archive. Without one, what would be dropped is held.",
    ...(lanes?.lanes ?? []).map(
      ({ origin, state, due }) =>
        state === "halted" &&
        due > 0 &&
        `${toDestinationText(origin)} was halted, with ${number(due)} waiting for it.`,
    ),
    ...otherLanes.map((one) => `${toOtherLaneText(one, createdAt)}.`),
  ]);
  if (texts.length === 0) return null;
  return (
    <>
      <p>
        When it was made, at <Time at={createdAt} />:
      </p>
      <Points texts={texts} />
    </>
  );
}

function Limits({ drain: { estimate, decisions, byService } }: Props): Html | null {
  const { least, days, passes } = estimate;
  const leastText = least && toLeastText(least);
  const fields = [
    ["By the service", byService ? `${number(byService)} by its own retry, each in a call of its own` : null],
    ["Limit", leastText && <Foreign text={leastText} />],
    ["Passes", passes > 1 ? `a drain left to itself needs ${number(passes)} or more` : null],
    ["Days", days > 1 ? `${number(days)} or more, by the ceiling of a day` : null],
  ] as const;
  if (decisions.republish === 0 || fields.every(([, value]) => value === null)) return null;
  return <Fields of={fields} />;
}

function Rules({ drain, now }: Props & { readonly now: number }): Html {
  const { rules } = drain;
  const hold = toHold(drain);
  // Halts are counted by destination.
  const due = hold === null ? "due now" : `${hold.isAll ? "" : "due now, or "}held by ${hold.by}`;
  return (
    <>
      <h3>By rule</h3>
      <Table
        caption="Decisions by rule"
        empty="Nothing was selected."
        rows={rules}
        columns={({ column, amounts }) => [
          column("rule", ({ rule }) => <Foreign text={rule ?? "no rule"} />),
          amounts("records", ({ count }) => count),
          amounts(due, ({ dueNow }) => dueNow),
          column("decision", (rule) => <Foreign text={toReasons(rule)} />),
          column("then", (rule) => <Foreign text={toNext(rule, now)} />),
          column("status", ({ statuses }) =>
            statuses.top.map(({ key, count }) => `${key} ${number(count)}`).join(", "),
          ),
          column("host", ({ hosts }) => (
            <Foreign text={hosts.top.map(({ key, count }) => `${key} ${number(count)}`).join(", ")} />
          )),
        ]}
      />
    </>
  );
}

function toReasons({ rule, reasons }: Pick<RulePart, "rule" | "reasons">): string {
  return reasons
    .map(({ then, reason, count }) => `${number(count)} ${toDecisionText({ then, reason, rule })}`)
    .join(", ");
}

function toNext({ next }: RulePart, now: number): string {
  return (
    next
      .map((one) => `${number(one.count)} ${toDecisionText(one)} ${toClocks(one.from, one.to, now)}`)
      .join(", ") || "–"
  );
}

/** `at 10:15 UTC`, `from 10:15 UTC to 10:20 UTC`. */
function toClocks(from: number, to: number, now: number): string {
  const [first, last] = [toClock(from, now), toClock(to, now)];
  return first === last ? `at ${first}` : `from ${first} to ${last}`;
}

function LeftAlone({ drain, now }: Props & { readonly now: number }): Html {
  const { listed, planned, elsewhere, cut, unusable, parkedAlready, rules } = drain;
  const unreadable = Object.entries(unusable).map(([why, count]) => ({
    count,
    why: `cannot be read: ${why}`,
  }));
  const filtered = listed - planned - elsewhere - sumOf(unreadable, ({ count }) => count);
  const held = rules.flatMap(({ rule, reasons, laterFrom: from, laterTo: to }) => {
    const when = from === null || to === null ? "" : `, decided anew ${toClocks(from, to, now)}`;
    return reasons
      .filter(({ then }) => then === "hold")
      .map(({ then, reason, count }) => ({ count, why: `${toDecisionText({ then, reason, rule })}${when}` }));
  });
  const rows = [
    ...held,
    { count: parkedAlready, why: "parked already: they wait for a person" },
    ...unreadable,
    { count: elsewhere, why: "in the part of another drain of this plan" },
    { count: filtered, why: "left out by the plan's filter" },
  ].filter(({ count }) => count > 0);
  return (
    <>
      <h3>Left alone</h3>
      <Table
        caption="What an apply leaves alone"
        empty="Nothing that was read is left out."
        rows={rows}
        columns={({ column, amounts }) => [
          amounts("records", ({ count }) => count),
          column("why", ({ why }) => <Foreign text={why} />),
        ]}
      />
      {cut ? <p>The limit was reached. There may be more, and they were not read.</p> : null}
    </>
  );
}

function Destinations({ drain }: Props): Html | null {
  const { estimate, lanes } = drain;
  const { top, more } = estimate.destinations;
  const hold = toHold(drain);
  const isHeld = (origin: string | null): boolean => hold?.holds(origin) === true;
  if (top.length === 0) return null;
  const all = more.publishes + sumOf(top, ({ publishes }) => publishes);
  const toShare = (count: number, name: "good" | "bad"): Html => (
    <ShareCell count={count} of={all} whole="what is due" name={name} />
  );
  const stateOf = new Map<string, string>(lanes?.lanes.map(({ origin, state }) => [origin, state]));
  return (
    <>
      <h3>By destination</h3>
      <Table
        caption="Publishes by destination"
        empty=""
        rows={top}
        columns={({ column, amounts }) => [
          column("destination", ({ origin }) => <Foreign text={toDestinationText(origin)} />),
          hold?.isAll !== true &&
            column("due now", ({ publishes, origin }) => toShare(isHeld(origin) ? 0 : publishes, "good")),
          hold !== null &&
            column(`held by ${hold.by}`, ({ publishes, origin }) =>
              toShare(isHeld(origin) ? publishes : 0, "bad"),
            ),
          amounts("due later", ({ later }) => later),
          column("lane, when made", ({ origin }) => stateOf.get(origin ?? "") ?? null),
        ]}
      />
      {more.destinations === 0 ? null : (
        <p>
          And {number(more.publishes + more.later)} for {number(more.destinations)} more.
        </p>
      )}
    </>
  );
}

function Failures({ drain: { failures, planned } }: Props): Html {
  return (
    <>
      <h3>By failure</h3>
      <Table
        caption="Records by kind of failure"
        empty="Nothing was selected."
        rows={failures.top}
        columns={({ column }) => [
          column("records", ({ count }) => <ShareCell count={count} of={planned} whole="the plan" />),
          column("failure", ({ id, origin, status, text }) => (
            <a href={`/failures/${encodeURIComponent(id)}`}>
              <Foreign text={`${toAnswerText({ id, status, text })}: ${toDestinationText(origin)}`} />
            </a>
          )),
          column("decision", ({ decisions }) =>
            decisions.map(({ key, count }) => `${toThenText(key)} ${number(count)}`).join(", "),
          ),
        ]}
      />
      {failures.more.count === 0 ? null : <p>And {number(failures.more.count)} of other kinds.</p>}
    </>
  );
}

/** Values are masked: a plan that replicas share has none. */
function Samples({ drain: { rules } }: Props): Html | null {
  const samples = rules.flatMap(({ rule, samples: own }) => own.map((sample) => ({ rule, ...sample })));
  if (samples.length === 0) return null;
  return (
    <>
      <h3>Samples</h3>
      {samples.map(({ rule, dlqId, url, status, redrive, changes, losses }) => (
        <details>
          <summary>
            {dlqId} to <Foreign text={url} />
          </summary>
          <p>
            Rule <Foreign text={rule ?? "none"} />, status {status ?? "none"}, attempt {redrive}
            {losses.length === 0 ? null : `, loses ${losses.join(", ")}`}.
          </p>
          <Table
            caption={`Changes of ${dlqId}`}
            empty={losses.length === 0 ? "It is sent as it was." : "Nothing but what it loses."}
            rows={changes}
            columns={({ column }) => [
              column("what", ({ what }) => <Foreign text={what} />),
              column("change", ({ change }) => change),
              column("before", ({ before }) => before && <Foreign text={before} />),
              column("after", ({ after }) => after && <Foreign text={after} />),
            ]}
          />
        </details>
      ))}
    </>
  );
}
