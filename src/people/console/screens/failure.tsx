/** One kind of failure: how much of it, what the rules do, how its lane is, what people did. Reads Redis alone. */
import { openAuditReader, openQueueSeries } from "../../../job/door.ts";
import { namesOfOrigin } from "../../../job/message/destination-names.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { hostPausesOf, pauseOf, type HostPause, type PauseRecord } from "../../../job/contracts/pauses.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { haltedOf, readLanes } from "../../operations/failures/details.ts";
import { toAsText } from "../../operations/failures/state-text.ts";
import { toNeedsOfKind } from "../../operations/failures/needs-of-kind.ts";
import type { Need } from "../../operations/status/need.ts";
import { readTimeLine } from "../../operations/failures/time-line.ts";
import { DecidingRules } from "../parts/deciding-rules.tsx";
import { DestinationActs } from "../parts/destination-acts.tsx";
import { FailureActs, toParkedPath } from "../parts/failure-acts.tsx";
import { FailureChart, toRedrives } from "../parts/failure-chart.tsx";
import { FailureHead } from "../parts/failure-head.tsx";
import { Happened } from "../parts/happened.tsx";
import { LaneWords, PauseWords } from "../parts/lane.tsx";
import { Needs } from "../parts/needs.tsx";
import { pausesOfKind } from "../parts/paused.tsx";
import { toAnswerText } from "../../read/answer-text.ts";
import { isHeldByRules, maySend } from "../../read/held-by-rules.ts";
import { toKindKey } from "../../read/queue-sample.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { cut, number, present, toEnteredBy, toKnown } from "../../operations/phrases.ts";
import { Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { defineScreen, live, type Drawn, type Html, type ScreenContext } from "../screen.ts";

type Model = NonNullable<Awaited<ReturnType<typeof readModel>>>;

export const failureScreen = defineScreen<Model>({
  path: "/failures/:id",
  area: "failures",
  role: "viewer",
  title: ({ failure }) => `${cut(toAnswerText(failure), 60)} · ${toDestinationText(failure.origin)}`,
  heading: ({ failure }) => (
    <>
      <Foreign text={toAnswerText(failure)} />{" "}
      <small>
        from <Foreign text={toDestinationText(failure.origin)} />
      </small>
    </>
  ),
  load: readModel,
  sections: [
    live("head", (model, { now }) => <FailureHead {...model} pauses={kindPausesOf(model)} now={now} />),
    live("numbers", (model) => <Numbers model={model} />),
    live("chart", (model, { now }) => <FailureChart {...model} now={now} />),
    live("first", (model, context) => (
      <Needs title="What to do first" needs={toNeedsOf(model, context)} context={context} />
    )),
    live("failure-acts", (model, context) => (
      <FailureActs
        {...{ model, context }}
        isTriedFirst={toNeedsOf(model, context).some(
          ({ first }) => first.kind === "plan" && first.isHere === true,
        )}
      />
    )),
    live("rules", ({ failure }, context) => <DecidingRules {...{ failure, context }} />),
    live("lanes", (model, context) => <Lanes model={model} context={context} />),
    live("lane-acts", (model, context) => <LaneActs {...{ model, context }} />),
    live("time-line", (model) => <Happened {...model} />),
  ],
});

async function readModel({ core, reads, params, query, now }: ScreenContext) {
  const all = await reads.failures();
  const found = all.filter(({ id }) => id === params["id"]);
  const asked = query.get("source");
  const failure = found.find(({ source }) => asked === null || source === asked);
  const source = failure && core.sources.get(failure.source);
  if (failure === undefined || source === undefined) return null;
  const key = `${failure.source} ${failure.id}`;
  // Which acts were probes, and what became of the last one, depends on how the lanes are now.
  const lanes = await readLanes(core, failure);
  const moves = lanes.map(({ lane: { state, sent, lastProbeAt } }) => `${state} ${sent} ${lastProbeAt}`);
  const thisHour = Math.floor(now / 3_600_000);
  const hours = Array.from({ length: 25 }, (_, ago) => thisHour - 24 + ago);
  const [timeLine, arrivals, pauses, kinds, facts] = await Promise.all([
    reads.kept(`failure ${key} ${moves.join()}`, async () =>
      readTimeLine(await openAuditReader(core), source.runtime.ledger, failure, haltedOf(lanes)),
    ),
    reads.arrivals(),
    reads.pauses(),
    reads.kept(`kinds ${thisHour}`, async () => (await openQueueSeries(core)).readKinds(hours)),
    reads.facts(),
  ]);
  const isOwn = ({ drain }: { drain: string }): boolean => failure.drains.some((one) => one.drain === drain);
  return {
    failure,
    arrivals: arrivals.get(failure.source)?.get(failure.id) ?? {},
    lanes,
    timeLine,
    redrives: toRedrives(hours, kinds, toKindKey(failure.source, failure.id), failure),
    pauses: pauses.get(failure.source) ?? [],
    expiring:
      facts.sources
        .find((one) => one.source === failure.source)
        ?.expiring.groups.find((group) => group.failure === failure.id) ?? null,
    enteredBy: toEnteredBy(facts.drains.filter(isOwn), now),
    /** How many other kinds a rule for its host and status would take too. */
    alike: all.filter((one) => isAlike(one, failure)).length,
    others: found.filter((one) => one !== failure).map((one) => one.source),
  };
}

function isAlike(one: FailureView, { id, source, origin, status }: FailureView): boolean {
  if (one.id === id || one.source !== source || one.status !== status) return false;
  return one.waiting + one.parked > 0 && placeOf(one.origin) === placeOf(origin);
}

/** As a rule names it: schemes are not told apart. */
function placeOf(origin: string): string {
  return origin.startsWith("queue:") ? origin : hostOf(origin);
}

function pausesOf({ failure, pauses }: Model, drain: string): readonly HostPause[] {
  const names = namesOfOrigin(failure.origin);
  return hostPausesOf(pauses, drain).filter(({ host }) => names.includes(host));
}

/** A person's, that holds all of it in this drain. */
function pausing(model: Model, drain: string): PauseRecord | undefined {
  return pauseOf(model.pauses, drain) ?? pausesOf(model, drain)[0];
}

function kindPausesOf({ failure, pauses }: Model): readonly PauseRecord[] {
  return pausesOfKind(pauses, failure.id);
}

function plannedOf({ core }: ScreenContext): ReadonlySet<string> {
  const drains = [...core.drains.values()].map(({ config }) => config);
  return new Set(drains.flatMap(({ name, mode }) => (mode === "plan" ? [name] : [])));
}

function toNeedsOf(model: Model, context: ScreenContext): readonly Need[] {
  const { failure, lanes } = model;
  const drains = [...context.core.drains.values()].map(({ config }) => config);
  return toNeedsOfKind({
    failure,
    lanes,
    planned: plannedOf(context),
    isPaused: (drain) =>
      kindPausesOf(model).length > 0 ||
      pausing(model, drain) !== undefined ||
      drains.some(({ name, paused }) => name === drain && paused),
  });
}

function Numbers({ model: { failure, enteredBy } }: { readonly model: Model }): Html {
  const { waiting, parked, published, discarded, failedAgain, arrived, drains } = failure;
  const unseen = drains.reduce((sum, one) => sum + one.unseen, 0);
  const tiles: readonly (readonly [string, number, string])[] = [
    ["waiting", waiting, unseen > 0 ? `${number(unseen)} of them not listed yet` : enteredBy],
    ["parked", parked, parked > 0 ? "for a person" : ""],
    ["sent again", published, ""],
    ["failed again", failedAgain, present([enteredBy, toAsText(failure)]).join(" ")],
    ["arrived", arrived, present([enteredBy, "with what was there first"]).join(", ")],
    ...(discarded > 0 ? [["discarded", discarded, "archived, then deleted"] as const] : []),
  ];
  return (
    <ul class="tiles">
      {tiles.map(([name, count, what]) => (
        <li class={lineOf[name] === undefined ? undefined : `of-${lineOf[name]}`}>
          <strong>{name === "waiting" || name === "parked" ? toKnown(count, failure) : number(count)}</strong>{" "}
          {name === "parked" && count > 0 ? <a href={toParkedPath(failure)}>parked</a> : name}
          {what === "" ? null : <span class="hint">{what}</span>}
        </li>
      ))}
    </ul>
  );
}

const lineOf: Readonly<Record<string, string>> = {
  "sent again": "published",
  "failed again": "failed-again",
  arrived: "arrived",
};

function Lanes({ model, context }: Drawn<{ model: Model }>): Html {
  const { failure, lanes } = model;
  const planned = plannedOf(context);
  return (
    <>
      <h2>Drain by drain</h2>
      <Table
        caption="The lane of its destination, and counts of this failure"
        empty="No drain of the document has met it."
        rows={failure.drains}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => drain),
          column("lane of its destination", (row) => {
            const { drain, waiting } = row;
            const lane = lanes.find((one) => one.drain === drain)?.lane;
            if (lane === undefined) return "none: sent within its limits";
            const goes = maySend(row) && !planned.has(drain);
            return (
              <>
                <LaneWords lane={lane} hasNext={goes && pausing(model, drain) === undefined} />
                {planned.has(drain) ? " · the drain only plans" : null}
                {waiting > 0 && isHeldByRules(row) ? " · rules hold this failure" : null}
                {lane.why === null ? null : (
                  <>
                    <br />
                    <Foreign text={lane.why} />
                  </>
                )}
                {lane.lastProbeAt === null ? null : (
                  <>
                    <br />
                    last probe <Time at={lane.lastProbeAt} isExact />
                  </>
                )}
              </>
            );
          }),
          column("paused", ({ drain }) => {
            const pause = pausing(model, drain);
            return pause === undefined ? "no" : <PauseWords pause={pause} />;
          }),
          amounts("waiting", (one) => toKnown(one.waiting, one)),
          amounts("parked", (one) => toKnown(one.parked, one)),
          amounts("sent again", ({ published }) => published),
          amounts("failed again", ({ failedAgain }) => failedAgain),
        ]}
      />
    </>
  );
}

function LaneActs({ model, context }: Drawn<{ model: Model }>): Html | null {
  const { failure, lanes } = model;
  const { origin } = failure;
  // `(other)` and `(unreadable)` are no destinations.
  if (origin.startsWith("(")) return null;
  return (
    <>
      {failure.drains.map(({ drain }) => (
        <>
          {failure.drains.length > 1 ? <h3>{drain}</h3> : null}
          <DestinationActs
            drain={drain}
            origin={origin}
            lane={lanes.find((one) => one.drain === drain)?.lane ?? null}
            pause={pausesOf(model, drain)[0] ?? null}
            context={context}
          />
        </>
      ))}
    </>
  );
}
