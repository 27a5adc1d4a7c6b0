/** One plan: how far it is, what it would do and why, what it leaves alone. */
import type { ShownPlan } from "../../operations/plans/plan-desk.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";
import { apply as applyPlanAct } from "../../operations/acts/apply.ts";
import { remove as removePlanAct } from "../../operations/acts/plans-remove.ts";
import { stop as stopPlanAct } from "../../operations/acts/plans-stop.ts";
import { Acts } from "../parts/act-form.tsx";
import { readKindPages, type KindPages } from "../parts/came-back-as.tsx";
import { shownIdLength } from "../../operations/plans/choose-plan.ts";
import { toDamageText, toLost, toTopicLossText } from "../../operations/plans/decision-text.ts";
import { toDiscardWarning } from "../../operations/plans/discard.ts";
import { Fields } from "../parts/fields.tsx";
import { Decisions, PlanOfDrain } from "../parts/plan-of-drain.tsx";
import { PlanProgress } from "../parts/plan-progress.tsx";
import { appliesByProbe, toNextStepText, toProber, type Prober } from "../../operations/lane-words.ts";
import { maxWaitMs } from "../../plan/apply.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { capitalised, number, toIn } from "../../operations/phrases.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import type { PlanReport } from "../../operations/plans/freeze-plan.ts";
import { toLaneWords } from "../../operations/status/halted-needs.ts";
import { need, type Need } from "../../operations/status/need.ts";
import type { Status } from "../../operations/status/read.ts";
import { sumOf } from "../../read/totals.ts";
import { Needs } from "../parts/needs.tsx";
import { Foreign, Points } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { defineScreen, live, still, type Drawn, type Html } from "../screen.ts";
import { Selection } from "./plans.tsx";

interface Model extends ShownPlan {
  /** Applied now, and of one of the same drains. */
  readonly busyWith: SharedPlan | null;
  /** Destinations of the plan that take nothing now. */
  readonly needs: readonly Need[];
  readonly halted: { readonly count: number; readonly isWhole: boolean };
  readonly kindPages: KindPages;
  readonly laneOf: (drain: string, destination: string) => LaneStanding | undefined;
}

export const planScreen = defineScreen<Model>({
  path: "/plans/:id",
  area: "plans",
  role: "viewer",
  title: ({ plan }) => `Plan of ${plan.drains.join(", ")}`,
  async load({ core, plans, params, reads }) {
    const all = await plans.list();
    const plan = all.find(({ id }) => id === params["id"]);
    if (plan === undefined) return null;
    const busyWith = all.find(
      (other) =>
        other.id !== plan.id && isApplied(other) && other.drains.some((drain) => plan.drains.includes(drain)),
    );
    const shown = await plans.show(plan.id);
    const isOpen = plan.made !== null && plan.state !== "applied";
    const report = isOpen ? shown.report : null;
    const status = isOpen ? await reads.status() : null;
    const halted = report === null || status === null ? [] : toHaltedOf(report, status);
    const destinationsOf = (drain: string) =>
      status?.drains.find((one) => one.drain === drain)?.destinations ?? [];
    return {
      ...shown,
      busyWith: busyWith ?? null,
      laneOf: (drain, destination) =>
        destinationsOf(drain).find(({ origin }) => toDestinationText(origin) === destination)?.lane ??
        undefined,
      kindPages: plan.apply === null ? new Map() : await readKindPages({ core, reads }),
      needs: halted.map((one) =>
        toPlanNeed(plan.apply === null ? one : { ...one, publishes: null }, isApplied(plan)),
      ),
      halted: {
        count: sumOf(halted, ({ publishes }) => publishes),
        isWhole:
          report?.drains.every(({ estimate }) => estimate.destinations.more.destinations === 0) ?? true,
      },
    };
  },
  sections: [
    live("progress", ({ plan, halted, kindPages, laneOf }, { now }) => (
      <PlanProgress {...{ plan, halted, kindPages, laneOf, now }} />
    )),
    live("before", ({ plan, needs }, context) => (
      <Needs
        title={
          isApplied(plan) ? "What it waits for" : `Before you apply${plan.apply === null ? "" : " again"}`
        }
        {...{ needs, context }}
      />
    )),
    live("acts", (model, context) => <PlanActs {...{ model, context }} />),
    still("drains", ({ plan, report }) =>
      report === null ? (
        plan.made && (
          <>
            <p>
              From a file, or another version of redriver. Its file alone has what it decides by rule,
              destination and failure.
            </p>
            <Decisions
              decisions={plan.made.decisions}
              of={plan.made.records}
              isDiscard={plan.filter.discard !== undefined}
            />
          </>
        )
      ) : (
        <>
          {report.damaged === undefined ? null : (
            <>
              <p>{toLost(report.damaged)}</p>
              <Points texts={report.damaged.map(toDamageText)} />
            </>
          )}
          {report.drains.map((drain) => (
            <PlanOfDrain drain={drain} createdAt={report.createdAt} />
          ))}
        </>
      ),
    ),
    still("about", ({ plan }) => <About plan={plan} />),
  ],
});

function toHaltedOf({ drains }: PlanReport, status: Status) {
  return drains.flatMap(({ drain, estimate }) => {
    const destinations = status.drains.find((one) => one.drain === drain)?.destinations ?? [];
    const prober = toProber(status.drains.find((one) => one.drain === drain)?.mode);
    return estimate.destinations.top.flatMap(({ origin, publishes }) => {
      const lane = destinations.find((one) => one.origin === origin)?.lane;
      if (origin === null || lane?.state !== "halted" || publishes === 0) return [];
      return { drain, origin, publishes, lane, prober };
    });
  });
}

interface HaltedOfPlan {
  readonly drain: string;
  readonly origin: string;
  /** As it was made; null: an apply has begun, whose progress has what is left. */
  readonly publishes: number | null;
  readonly lane: LaneStanding;
  readonly prober: Prober;
}

/** An apply sends the probe of a halted lane itself, unless that is due later than it waits. */
export function toPlanNeed({ drain, origin, publishes, lane, prober }: HaltedOfPlan, isNow: boolean): Need {
  const probed = { kind: "probe", drain, origin, lane, prober } as const;
  const words = toLaneWords(lane);
  const going =
    publishes === null ? capitalised(words) : `${number(publishes)} of ${drain} go there, ${words}`;
  const host = toDestinationText(origin);
  if (isNow) {
    return need("bad", `${host} is halted: the apply sends one message, then waits for its answer`, {
      detail: going,
      first: probed,
    });
  }
  if (lane.sent === 0 && lane.nextInMs > maxWaitMs) {
    return need("bad", `${host} is halted: its next probe is later than an apply waits`, {
      detail: going,
      first: probed,
    });
  }
  const next =
    lane.sent > 0
      ? `${capitalised(toNextStepText(lane))}. If it is delivered, an apply sends the rest.`
      : `${appliesByProbe}. The probe can go ${toIn(lane.nextInMs)}.`;
  const too = prober === "redriver" ? " Redriver probes by itself too." : "";
  return need("warn", `${host} is halted: an apply probes it first`, {
    detail: `${going}. ${next}${too}`,
    first: { kind: "apply" },
  });
}

function isApplied({ state, made }: SharedPlan): boolean {
  return state === "applying" || (state === "stopping" && made !== null);
}

function PlanActs({ model: { plan, busyWith, needs, report }, context }: Drawn<{ model: Model }>): Html {
  const { id, state, made } = plan;
  const isGoing = state === "making" || state === "applying";
  const acts = made?.acts ?? 0;
  const values = { id, messages: String(acts) };
  const whyNoApply = toWhyNoApply(plan, busyWith);
  return (
    <>
      {busyWith === null ? null : <Busy {...{ plan, context }} other={busyWith} />}
      {made === null || whyNoApply !== null ? null : (
        <p>
          {plan.filter.discard === undefined
            ? `An apply decides each of these ${number(acts)} messages again, and acts on it if the answer is the same. What is done already is skipped.`
            : toDiscardWarning(context.core, acts)}
        </p>
      )}
      {whyNoApply === null && report !== null
        ? report.drains.map((one) => {
            const lost = toTopicLossText(one, context.core.drains.get(one.drain)?.config.select ?? {});
            return lost && <p>{lost}</p>;
          })
        : null}
      <Acts
        of={[
          {
            act: applyPlanAct,
            title: toApplyTitle(plan),
            values,
            whyNot: whyNoApply,
            look: needs.every(({ first }) => first.kind === "apply") ? "primary" : "",
          },
          isGoing && { act: stopPlanAct, values },
          !isGoing && state !== "stopping" && { act: removePlanAct, values, look: "quiet" },
        ]}
        context={context}
      >
        {made && (
          <p>
            <a href={`/plans/${encodeURIComponent(id)}/file`} download>
              Download the plan
            </a>{" "}
            <span class="hint">
              values are masked; <code>redriver apply</code> takes it
            </span>
          </p>
        )}
      </Acts>
    </>
  );
}

function toWhyNoApply(plan: SharedPlan, busyWith: SharedPlan | null): string | null {
  const { state, made } = plan;
  if (state === "making") return "it is still being made";
  if (made === null) return "it is not whole: make a new one";
  if (state === "applying" || state === "stopping") return "it is being applied";
  if (made.acts === 0) return "there is nothing to act on";
  if (state === "applied" && leftOf(plan) === 0) return "all of it is done or skipped";
  return busyWith === null ? null : "another plan of the same drain is being applied";
}

/** It may wait for long, for a lane or a rate. So a person sees which one it is, what it waits for, and may stop it. */
function Busy({ plan, other, context }: Drawn<{ plan: SharedPlan; other: SharedPlan }>): Html {
  const shared = other.drains.filter((drain) => plan.drains.includes(drain));
  const waits = (other.apply?.drains ?? []).flatMap(({ wait }) => Object.keys(wait?.reasons ?? {}));
  const why = waits.includes("lane-halted")
    ? ", waiting for a halted destination"
    : waits.length > 0 && ", waiting";
  const left = leftOf(other);
  return (
    <>
      <p>
        <Foreign text={other.apply?.by ?? other.by} /> applies{" "}
        <a href={`/plans/${encodeURIComponent(other.id)}`}>plan {other.id.slice(0, shownIdLength)}</a> of{" "}
        {shared.join(", ")}:{" "}
        {left === 0 ? "all of it is done, and it watches what comes back" : `${number(left)} left`}
        {left > 0 && why}. One plan of a drain is applied at a time. Wait for its end
        {left > 0 && ", or stop it: what is left of it can be applied later"}.
      </p>
      <Acts
        of={[
          other.state !== "stopping" && {
            act: stopPlanAct,
            title: `Stop plan ${other.id.slice(0, shownIdLength)}`,
            values: { id: other.id },
          },
        ]}
        context={context}
      />
    </>
  );
}

function toApplyTitle({ made, apply, filter }: SharedPlan): string {
  if (made === null) return "Apply";
  const left = leftOf({ apply });
  const act = filter.discard === undefined ? "Apply to" : "Discard";
  if (apply !== null && apply.endedAt !== null && left > 0) return `${act} the ${number(left)} left`;
  return `${act} ${number(made.acts)} ${made.acts === 1 ? "message" : "messages"}`;
}

function leftOf({ apply }: Pick<SharedPlan, "apply">): number {
  return sumOf(apply?.drains ?? [], ({ left }) => left);
}

function About({ plan }: { readonly plan: SharedPlan }): Html {
  const { made } = plan;
  return (
    <>
      <h2>About this plan</h2>
      <Fields
        of={[
          ["Of", <Selection plan={plan} />],
          [
            "Made",
            <>
              <Time at={plan.createdAt} /> by <Foreign text={plan.by} />
            </>,
          ],
          ["Kept until", <Time at={plan.expiresAt} />],
          ["Document", <code>{plan.documentHash}</code>],
          ["Selection", made && `${number(made.records)} records, ${number(made.acts)} to act on`],
          ["Hash", made && <code>{made.sha256}</code>],
        ]}
      />
    </>
  );
}
