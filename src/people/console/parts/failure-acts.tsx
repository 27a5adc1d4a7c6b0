import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { unreadableKind } from "../../../job/message/failure-kind.ts";
import { content as contentAct } from "../../operations/acts/content.ts";
import { acknowledge as acknowledgeAct } from "../../operations/acts/failures-acknowledge.ts";
import { note as noteAct } from "../../operations/acts/failures-note.ts";
import { quiet as quietAct } from "../../operations/acts/failures-quiet.ts";
import { pause as pauseAct } from "../../operations/acts/pause.ts";
import { keep as makePlanAct } from "../../operations/acts/plan-keep.ts";
import { resume as resumeAct } from "../../operations/acts/resume.ts";
import type { Texts } from "../../operations/define.ts";
import { whyNotPlanned } from "../../operations/failures/choose.ts";
import type { StoredDetails } from "../../operations/failures/details.ts";
import { counted, withCount } from "../../operations/phrases.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { isHeldByRules } from "../../read/held-by-rules.ts";
import { toOnce, type Certain } from "../../read/totals.ts";
import { toQuery } from "../query.ts";
import type { Drawn, Html, ScreenContext } from "../screen.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { toProber } from "../../operations/lane-words.ts";
import { ofPlan, tryFive } from "./needs.tsx";
import { Acts, type ActShown } from "./act-form.tsx";
import { pausesOfKind, toKindPauseValues } from "./paused.tsx";

interface KindModel extends Pick<StoredDetails, "failure" | "lanes"> {
  /** Of its source. */
  readonly pauses: readonly PauseRecord[];
  /** How many other kinds a rule for its host and status would take too. */
  readonly alike: number;
}

/** What a person can do about a kind, beside what comes first. `isTriedFirst`: what comes first tries five. */
export function FailureActs({
  model,
  isTriedFirst,
  context,
}: Drawn<{ model: KindModel; isTriedFirst: boolean }>): Html {
  const { failure } = model;
  const { id, source, sample, note, isQuiet, quiet, owner } = failure;
  const [paused] = pausesOfKind(model.pauses, id);
  const known = note === null ? {} : { text: note.text, ticket: note.ticket };
  const going = toGoing(failure);
  const [next] = toFree(model, context);
  const content: ActShown | false = sample !== null && {
    act: contentAct,
    title: "Show a sample, whole",
    values: { source, dlqId: sample },
    whyNot: null,
  };
  const why = whyNotPlanned(id);
  if (why !== null) {
    return (
      <>
        <h2>What else can be done about it</h2>
        <Acts of={[content]} context={context} />
        <NoKind {...{ failure, why }} />
      </>
    );
  }
  return (
    <>
      <h2>What else can be done about this kind</h2>
      {going.count > 0 && next === undefined ? (
        <p class="hint">
          Five at once cannot be tried: a halt holds them. Redriver probes by itself, and an apply of a plan
          probes too. If a probe is delivered, the rest follows.
        </p>
      ) : null}
      <Acts
        of={[
          going.count > 0 &&
            next !== undefined &&
            !isTriedFirst &&
            toPlanning(failure, tryFive, { drains: next.drain, limit: "5" }),
          going.count > 0 && toPlanning(failure, withCount("Plan all", going)),
          content,
          { act: acknowledgeAct, values: { id } },
          owner !== null && {
            act: acknowledgeAct,
            title: "Give it back",
            values: { id, off: "yes" },
            hides: ["owner"],
          },
          { act: noteAct, values: { id, ...known } },
          !isQuiet && { act: quietAct, values: { id } },
          quiet !== null && {
            act: quietAct,
            title: "End the quiet",
            values: { id, off: "yes" },
            hides: ["until"],
          },
          paused === undefined
            ? { act: pauseAct, title: "Pause this kind", values: { failure: id } }
            : { act: resumeAct, title: "Resume this kind", values: toKindPauseValues(id, paused) },
        ]}
        context={context}
      />
      <Acts of={[toDiscarding(failure, context)]} context={context} />
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

/** The drains in which five can be tried, those with most first. Of a halt in a live drain a probe is the try. */
function toFree({ failure: { drains }, lanes }: KindModel, { core }: ScreenContext): FailureView["drains"] {
  const isHalted = (name: DrainName): boolean =>
    toProber(core.drains.get(name)?.config.mode) !== "apply" &&
    lanes.some(({ drain, lane }) => drain === name && lane.state === "halted");
  return drains
    .filter((one) => one.waiting > 0 && !isHeldByRules(one) && !isHalted(one.drain))
    .toSorted((one, other) => other.waiting - one.waiting);
}

function NoKind({ failure, why }: Pick<KindModel, "failure"> & { readonly why: string }): Html {
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

/** The plan's page asks for the reason. `values`: how it is narrowed; it is of each drain that lists the kind, or of one that is chosen. */
function toPlanning(
  failure: FailureView,
  title: string,
  values: Texts = {},
  whyNot: string | null = null,
): ActShown {
  const names = drainsOf(failure).map(({ drain }) => drain);
  // As a form names several.
  const all = names.join(" ");
  const hidden = ofPlan.filter((name) => name !== "drains");
  const choices = names.map((name) => [name, name] as const);
  return {
    act: makePlanAct,
    title,
    values: { drains: all, failure: failure.id, ...values },
    hides: names.length > 1 && values["drains"] === undefined ? hidden : ofPlan,
    choices: { drains: [[all, `each that lists it: ${names.join(", ")}`], ...choices] },
    whyNot,
  };
}

function toDiscarding(failure: FailureView, { core }: ScreenContext): ActShown {
  const count = failure.waiting + failure.parked;
  const noArchive = "they are archived first, and the document has no archive";
  const whyNot = core.document.archive === undefined ? noArchive : count === 0 ? "none waits" : null;
  const title = withCount("Plan to discard these", {
    count,
    isExact: true,
    expiredSince: failure.expiredSince,
  });
  return toPlanning(failure, title, { discard: "true" }, whyNot);
}

/** A discard is of those that are here. Those that come are for a rule, which others read first. */
function Rules({
  failure: { origin, status },
  alike,
  isHeld,
}: Pick<KindModel, "failure" | "alike"> & { readonly isHeld: boolean }): Html {
  const when = toWhen({ origin, status });
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

/** Of a rule, for what goes there and was answered so. */
export function toWhen({ origin, status }: Pick<FailureView, "origin" | "status">): string {
  const [, queue] = /^queue:(.*)$/.exec(origin) ?? [];
  const where =
    queue === undefined ? `host: ${JSON.stringify(hostOf(origin))}` : `queueName: ${JSON.stringify(queue)}`;
  return `{ ${where}, responseStatus: ${status ?? "none"} }`;
}

/** Those that list it now, of all that have met it. */
function drainsOf({ drains }: FailureView): FailureView["drains"] {
  const listing = drains.filter(({ waiting, parked }) => waiting + parked > 0);
  return listing.length > 0 ? listing : drains;
}

/** What stands for several kinds is not known of a single dead letter: then the drain that has most of them parked. */
export function toParkedPath({ id, source, drains }: FailureView): string {
  if (whyNotPlanned(id) === null) return `/parked${toQuery({ source, failure: id })}`;
  const [most] = drains.toSorted((one, other) => other.parked - one.parked);
  return `/parked${toQuery({ source, drain: most?.drain })}`;
}
