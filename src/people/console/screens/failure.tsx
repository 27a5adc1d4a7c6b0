/** One kind of failure: how much of it, what the rules do, how its lane is, what people did. Reads Redis alone. */
import { openAuditReader, openQueueSeries } from "../../../job/door.ts";
import { namesOfOrigin } from "../../../job/message/destination-names.ts";
import { unreadableKind } from "../../../job/message/failure-kind.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { hostPausesOf, pauseOf, type HostPause, type PauseRecord } from "../../../job/contracts/pauses.ts";
import type { ExpiringGroup } from "../../../job/contracts/queue-facts.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { isHeldByRules } from "../../read/held-by-rules.ts";
import { whyNotPlanned } from "../../operations/failures/choose.ts";
import { haltedOf, readLanes, type StoredDetails } from "../../operations/failures/details.ts";
import { toAsText } from "../../operations/failures/state-text.ts";
import { toNeedsOfKind } from "../../operations/failures/needs-of-kind.ts";
import type { Need } from "../../operations/status/needs.ts";
import { toCertain } from "../../operations/status/verdict.ts";
import { readTimeLine, type TimeLine } from "../../operations/failures/time-line.ts";
import { acknowledge as acknowledgeAct } from "../../operations/acts/failures-acknowledge.ts";
import { content as contentAct } from "../../operations/acts/content.ts";
import { keep as makePlanAct } from "../../operations/acts/plan-keep.ts";
import { note as noteAct } from "../../operations/acts/failures-note.ts";
import { pause as pauseAct } from "../../operations/acts/pause.ts";
import { quiet as quietAct } from "../../operations/acts/failures-quiet.ts";
import { resume as resumeAct } from "../../operations/acts/resume.ts";
import { ActForm } from "../parts/act-form.tsx";
import { DecidingRules } from "../parts/deciding-rules.tsx";
import { DestinationActs } from "../parts/destination-acts.tsx";
import { FailureChart, toRedrives, type Redrives } from "../parts/failure-chart.tsx";
import { FailureHead } from "../parts/failure-head.tsx";
import { Happened } from "../parts/happened.tsx";
import { LaneWords, PauseWords } from "../parts/lane.tsx";
import { Needs } from "../parts/needs.tsx";
import { pausesOfKind, toKindPauseValues } from "../parts/paused.tsx";
import { toAnswerText } from "../../read/answer-text.ts";
import { toOnce, type Certain } from "../../read/totals.ts";
import { toKindKey } from "../../read/queue-sample.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { counted, cut, number, toKnown } from "../../operations/phrases.ts";
import { Foreign } from "../parts/text.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { toQuery } from "../query.ts";
import { defineScreen, live, type Drawn, type Html, type ScreenContext } from "../screen.ts";

interface Model extends StoredDetails {
  readonly timeLine: TimeLine;
  readonly redrives: Redrives;
  readonly pauses: readonly PauseRecord[];
  readonly others: readonly string[];
  /** How many other kinds a rule for its host and status would take too. */
  readonly alike: number;
  readonly expiring: ExpiringGroup | null;
}

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
    live("failure-acts", (model, context) => <Acts {...{ model, context }} />),
    live("rules", ({ failure }, context) => <DecidingRules {...{ failure, context }} />),
    live("lanes", (model) => <Lanes {...model} />),
    live("lane-acts", (model, context) => <LaneActs {...{ model, context }} />),
    live("time-line", (model) => <Happened {...model} />),
  ],
});

async function readModel({ core, reads, params, query, now }: ScreenContext): Promise<Model | null> {
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

function toNeedsOf(model: Model, { core }: ScreenContext): readonly Need[] {
  const { failure, lanes } = model;
  const drains = [...core.drains.values()].map(({ config }) => config);
  return toNeedsOfKind({
    failure,
    lanes,
    planned: new Set(drains.flatMap(({ name, mode }) => (mode === "plan" ? [name] : []))),
    isPaused: (drain) =>
      kindPausesOf(model).length > 0 ||
      pausing(model, drain) !== undefined ||
      drains.some(({ name, paused }) => name === drain && paused),
  });
}

function Numbers({ model: { failure } }: { readonly model: Model }): Html {
  const { waiting, parked, published, discarded, failedAgain, arrived, drains } = failure;
  const unseen = drains.reduce((sum, one) => sum + one.unseen, 0);
  const tiles: readonly (readonly [string, number, string | null])[] = [
    ["waiting", waiting, unseen > 0 ? `${number(unseen)} of them not listed yet` : null],
    ["parked", parked, parked > 0 ? "for a person" : null],
    ["sent again", published, null],
    ["failed again", failedAgain, toAsText(failure) || null],
    ["arrived", arrived, "with what was there first"],
    ...(discarded > 0 ? [["discarded", discarded, "archived, then deleted"] as const] : []),
  ];
  return (
    <ul class="tiles">
      {tiles.map(([name, count, what]) => (
        <li class={lineOf[name] === undefined ? undefined : `of-${lineOf[name]}`}>
          <strong>
            {toKnown(count, failure.stillCounting && (name === "waiting" || name === "parked"))}
          </strong>{" "}
          {name === "parked" && count > 0 ? <a href={toParkedPath(failure)}>parked</a> : name}
          {what === null ? null : <span class="hint">{what}</span>}
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

function Acts({ model, context }: { readonly model: Model; readonly context: ScreenContext }): Html {
  const { failure } = model;
  const { id, source, sample, note, isQuiet, quiet, owner } = failure;
  const [paused] = kindPausesOf(model);
  const known = note === null ? {} : { text: note.text, ticket: note.ticket };
  const going = toGoing(failure);
  const [next] = toFree(model);
  const content =
    sample === null ? null : (
      <ActForm
        act={contentAct}
        title="Show a sample, whole"
        values={{ source, dlqId: sample }}
        context={context}
        saysWhy
      />
    );
  const why = whyNotPlanned(id);
  if (why !== null) {
    return (
      <>
        <h2>What else can be done about it</h2>
        <div class="acts">{content}</div>
        <NoKind {...{ failure, why }} />
      </>
    );
  }
  return (
    <>
      <h2>What else can be done about this kind</h2>
      {going.count > 0 && next === undefined ? (
        <p class="hint">
          Five cannot be tried: a halt holds them, and an apply would wait for it. A probe is the try. It
          sends one of them; if it is delivered, what the rules send follows.
        </p>
      ) : null}
      <div class="acts">
        {going.count > 0 ? (
          <>
            {next === undefined ? null : (
              <a class="button" href={`/plans${toQuery({ drain: next.drain, failure: id, limit: "5" })}`}>
                Try five
              </a>
            )}
            <a class="button" href={`/plans${toQuery({ drain: namesOf(drainsOf(failure)), failure: id })}`}>
              Plan all{going.isExact ? "" : ","} {toCertain(going)}
            </a>
          </>
        ) : null}
        {content}
        <ActForm act={acknowledgeAct} values={{ id }} context={context} />
        <ActForm
          act={acknowledgeAct}
          title="Give it back"
          values={{ id, off: "yes" }}
          hides={["owner"]}
          context={context}
          disabled={owner === null ? "nobody works on it" : null}
        />
        <ActForm act={noteAct} values={{ id, ...known }} context={context} />
        <ActForm act={quietAct} values={{ id }} context={context} disabled={isQuiet ? "it is quiet" : null} />
        <ActForm
          act={quietAct}
          title="End the quiet"
          values={{ id, off: "yes" }}
          hides={["until"]}
          context={context}
          disabled={quiet === null ? "it is not quiet" : null}
        />
        <ActForm
          act={pauseAct}
          title="Pause this kind"
          values={{ failure: id }}
          context={context}
          disabled={paused === undefined ? null : "it is paused"}
        />
        <ActForm
          act={resumeAct}
          title="Resume this kind"
          values={toKindPauseValues(id, paused)}
          context={context}
          disabled={paused === undefined ? "it is not paused" : null}
        />
      </div>
      <Discard {...{ model, context }} />
      <Rules {...model} isHeld={failure.waiting > 0 && going.count === 0} />
    </>
  );
}

/** How many wait that a plan could act on: not those that rules hold. */
function toGoing({ drains }: FailureView): Certain {
  const listing = drains.filter((one) => one.waiting > 0);
  const free = listing.filter((one) => !isHeldByRules(one));
  return toOnce(free, listing, "waiting");
}

/** The drains that could send five now, those with most first. At a halted lane the first thing to do is a probe. */
function toFree({ failure: { drains }, lanes }: Model): FailureView["drains"] {
  const isHalted = (name: string): boolean =>
    lanes.some(({ drain, lane }) => drain === name && lane.state === "halted");
  return drains
    .filter((one) => one.waiting > 0 && !isHeldByRules(one) && !isHalted(one.drain))
    .toSorted((one, other) => other.waiting - one.waiting);
}

/** What can be done instead. */
function NoKind({ failure, why }: Pick<Model, "failure"> & { readonly why: string }): Html {
  const { id, origin } = failure;
  const host = origin.startsWith("(") ? undefined : hostOf(origin);
  return (
    <p class="hint">
      Nothing is done to it as a kind: {why}.{" "}
      {id === unreadableKind.id ? (
        <a href={toParkedPath(failure)}>Look at what is parked</a>
      ) : (
        <a href={`/plans${toQuery({ host })}`}>Make a plan</a>
      )}
    </p>
  );
}

function Discard({ model: { failure }, context }: Drawn<{ model: Model }>): Html {
  const { id, waiting, parked } = failure;
  const drains = drainsOf(failure);
  const all = namesOf(drains);
  const names = drains.map((one) => [one.drain, one.drain] as const);
  const hidden = ["rules", "host", "failure", "limit", "discard"];
  return (
    <div class="acts">
      {/* The plan's page asks for the reason. */}
      <ActForm
        act={makePlanAct}
        title={`Plan to discard these ${number(waiting + parked)}`}
        values={{ drains: all, failure: id, discard: "true" }}
        hides={names.length > 1 ? hidden : ["drains", ...hidden]}
        choices={{ drains: [[all, `each that lists it: ${all.replaceAll(" ", ", ")}`], ...names] }}
        context={context}
        disabled={
          context.core.document.archive === undefined
            ? "they are archived first, and the document has no archive"
            : waiting + parked === 0
              ? "none waits"
              : null
        }
        saysWhy
      />
    </div>
  );
}

function Lanes(model: Model): Html {
  const { failure, lanes } = model;
  return (
    <>
      <h2>Its destination, drain by drain</h2>
      <Table
        caption="Lanes and counts by drain"
        empty="No drain of the document has met it."
        rows={failure.drains}
        columns={({ column, amounts }) => [
          column("drain", ({ drain }) => drain),
          column("lane", ({ drain, waiting }) => {
            const lane = lanes.find((one) => one.drain === drain)?.lane;
            if (lane === undefined) return "none: sent within its limits";
            if (waiting === 0 && lane.state === "canary" && lane.sent === 0)
              return "idle: nothing waits for it";
            return (
              <>
                <LaneWords lane={lane} isPaused={pausing(model, drain) !== undefined} />
                {lane.why === null ? null : (
                  <>
                    <br />
                    <Foreign text={lane.why} />
                  </>
                )}
                {lane.lastProbeAt === null ? null : (
                  <>
                    <br />
                    last probe <Time at={lane.lastProbeAt} />
                  </>
                )}
              </>
            );
          }),
          column("paused", ({ drain }) => {
            const pause = pausing(model, drain);
            return pause === undefined ? "no" : <PauseWords pause={pause} />;
          }),
          amounts("waiting", ({ waiting, stillCounting }) => toKnown(waiting, stillCounting)),
          amounts("parked", ({ parked, stillCounting }) => toKnown(parked, stillCounting)),
          amounts("sent again", ({ published }) => published),
          amounts("failed again", ({ failedAgain }) => failedAgain),
        ]}
      />
    </>
  );
}

/** A discard is of those that are here. Those that come are for a rule, which others read first. */
function Rules({
  failure: { origin, status },
  alike,
  isHeld,
}: Pick<Model, "failure" | "alike"> & { readonly isHeld: boolean }): Html {
  const [, queue] = /^queue:(.*)$/.exec(origin) ?? [];
  const where =
    queue === undefined ? `host: ${JSON.stringify(hostOf(origin))}` : `queueName: ${JSON.stringify(queue)}`;
  const when = `{ ${where}, responseStatus: ${status ?? "none"} }`;
  const held = isHeld ? "Its rules hold it, so no plan sends it: only a rule that republishes it does. " : "";
  if (alike > 0) {
    return (
      <p class="hint">
        {held}A rule for its host and status would also take {counted(alike, "other kind")}: it needs what
        tells this one apart, such as <code>responseBody</code> or <code>bodyBase64</code>.
      </p>
    );
  }
  return (
    <>
      {isHeld ? (
        <>
          <p class="hint">{held}For example, once the receiver takes it:</p>
          <p>
            <code>{`- { name: send-again, when: ${when}, then: republish }`}</code>
          </p>
        </>
      ) : null}
      <p class="hint">
        To give up those that come too, a rule parks or drops them. Put it first in the drain of the{" "}
        <a href="/rules">document</a>. The daemons adopt an edited document by themselves:
      </p>
      <p>
        <code>{`- { name: given-up, when: ${when}, then: park }`}</code>
      </p>
      <p class="hint">
        With <code>then: drop</code> the archive gets a copy first, and the dead letter is deleted.
      </p>
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
            pauses={pausesOf(model, drain)}
            context={context}
          />
        </>
      ))}
    </>
  );
}

/** Those that list it now, of all that have met it. */
function drainsOf({ drains }: FailureView): FailureView["drains"] {
  const listing = drains.filter(({ waiting, parked }) => waiting + parked > 0);
  return listing.length > 0 ? listing : drains;
}

/** As a form names several. */
function namesOf(drains: FailureView["drains"]): string {
  return drains.map(({ drain }) => drain).join(" ");
}

/** What stands for several kinds is not known of a single dead letter: then the drain that has most of them parked. */
function toParkedPath({ id, source, drains }: FailureView): string {
  if (whyNotPlanned(id) === null) return `/parked${toQuery({ source, failure: id })}`;
  const [most] = drains.toSorted((one, other) => other.parked - one.parked);
  return `/parked${toQuery({ source, drain: most?.drain })}`;
}
