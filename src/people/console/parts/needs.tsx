/** What to do, the first thing first: a line each, with its button. */
import { plannedCosts, toUnaidedText } from "../../operations/lane-words.ts";
import type { Need } from "../../operations/status/need.ts";
import { keep as makePlanAct } from "../../operations/acts/plan-keep.ts";
import { probe as probeAct } from "../../operations/acts/lanes-probe.ts";
import { toQuery } from "../query.ts";
import type { Drawn, Html, ScreenContext } from "../screen.ts";
import { ActForm } from "./act-form.tsx";
import { Foreign } from "./text.tsx";

interface NeedsProps {
  readonly title: string;
  readonly needs: readonly Need[];
  readonly context: ScreenContext;
  /** The first thing to do stands over the page, and these come after it. */
  readonly isRest?: boolean;
}

export function Needs({ title, needs, context, isRest = false }: NeedsProps): Html | null {
  if (needs.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ol class="needs">
        {needs.map((need, index) => (
          <li class={need.mood}>
            <OneNeed need={need} isFirst={index === 0 && !isRest} context={context} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** `said`: what stands above it and is not said twice. Beside a probe: what it is for, and what comes without one. */
export function OneNeed({
  need,
  isFirst,
  said,
  context,
}: Drawn<{ need: Need; isFirst: boolean; said?: string }>): Html {
  const { what, detail, first } = need;
  return (
    <>
      <p>
        <strong>{what === said ? null : <What need={need} />}</strong>
        <span class="hint">
          <Foreign text={detail} />
        </span>
      </p>
      <div class="first">
        <FirstAct need={need} isFirst={isFirst} context={context} />
        {first.kind === "probe" ? (
          <p>
            <b>{isFirst && first.lane.sent === 0 && first.prober === "redriver" ? probeWords : null}</b>
            <span class="hint">{toUnaidedText(first.lane, first.prober)}</span>
          </p>
        ) : null}
      </div>
    </>
  );
}

/** Fields of a plan that the page of a kind knows. */
export const ofPlan = ["drains", "rules", "host", "failure", "limit", "discard", "fromArchive"];

export const tryFive = "Try five, by a plan";

/** Of a drain that only plans. */
export const dueNow = { title: "Make its probe due now", costs: plannedCosts };

const probeWords = "A probe sends one message, to see whether the receiver is back.";

/** Of a destination it leads to what fails there, unless its page is about that. */
function What({ need: { what, first } }: Readonly<{ need: Need }>): Html {
  const words = <Foreign text={what} isWhole />;
  if (first.kind === "plan" && first.host !== undefined) {
    return <a href={`/failures${toQuery({ host: first.host, drain: first.drain })}`}>{words}</a>;
  }
  if (first.kind !== "probe" || first.isHere === true) return words;
  return <a href={`/failures${toQuery({ host: first.origin, drain: first.drain })}`}>{words}</a>;
}

/** Of the first need alone the button stands out. */
function FirstAct({
  need: { first },
  isFirst,
  context,
}: Drawn<{ need: Need; isFirst: boolean }>): Html | null {
  const look = isFirst ? "primary" : "";
  const to = (href: string, words: string): Html => (
    <a class={`button ${look}`} href={href}>
      {words}
    </a>
  );
  switch (first.kind) {
    case "probe":
      if (first.lane.sent > 0) return null;
      return (
        <ActForm
          act={probeAct}
          {...(first.prober === "apply" ? dueNow : { title: "Probe it now" })}
          values={{ drain: first.drain, host: first.origin }}
          context={context}
          look={look}
        />
      );
    case "plan":
      if (first.isHere === true && first.drain !== undefined && first.failure !== undefined) {
        return (
          <ActForm
            act={makePlanAct}
            title={tryFive}
            values={{ drains: first.drain, failure: first.failure, limit: "5" }}
            hides={ofPlan}
            context={context}
            look={look}
          />
        );
      }
      return to(
        `/plans${toQuery({ drain: first.drain, failure: first.failure, host: first.host })}`,
        "Plan these",
      );
    case "apply":
      return null;
    case "paused":
      return to("/#paused", "See what is paused");
    case "parked":
      return to(`/parked${toQuery(first.of ?? {})}`, "Look at them");
    case "runbook":
      return to(`/runbooks/${first.alert}`, "What to do");
    case "of no drain":
      return to("/failures#of-no-drain", "See which");
    case "rules":
      return to("/rules", "Look at the document");
    case "expiring":
      return first.failure === null
        ? to("#expiring", "See which")
        : to(`/failures/${first.failure}`, `Look at those that expire first: ${first.count}`);
  }
}
