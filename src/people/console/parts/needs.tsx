/** What to do, the first thing first: a line each, with its button. */
import type { Need } from "../../operations/status/needs.ts";
import { probeAct } from "../acts/forms.ts";
import { toQuery } from "../query.ts";
import type { Html, ScreenContext } from "../screen.ts";
import { ActForm } from "./act-form.tsx";
import { Foreign } from "./text.tsx";

export function Needs({
  title,
  needs,
  context,
}: Readonly<{ title: string; needs: readonly Need[]; context: ScreenContext }>): Html | null {
  if (needs.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ol class="needs">
        {needs.map((need, index) => (
          <li class={need.mood}>
            <p>
              <strong>
                <Foreign text={need.what} isWhole />
              </strong>
              {need.detail === "" ? null : (
                <span class="hint">
                  <Foreign text={need.detail} />
                </span>
              )}
            </p>
            <FirstAct need={need} isFirst={index === 0} context={context} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Of the first need alone the button stands out. */
function FirstAct({
  need: { first },
  isFirst,
  context,
}: Readonly<{ need: Need; isFirst: boolean; context: ScreenContext }>): Html {
  const look = isFirst ? "primary" : "";
  const to = (href: string, words: string): Html => (
    <a class={`button ${look}`} href={href}>
      {words}
    </a>
  );
  switch (first.kind) {
    case "probe":
      return (
        <>
          <ActForm
            act={probeAct}
            title="Probe it now"
            values={{ drain: first.drain, host: first.origin }}
            context={context}
            look={look}
          />
          {first.isHere === true ? null : (
            <a class="button" href={`/failures${toQuery({ host: first.origin, drain: first.drain })}`}>
              What fails there
            </a>
          )}
        </>
      );
    case "plan":
      return to(`/plans${toQuery({ drain: first.drain, failure: first.failure })}`, "Plan these");
    case "parked":
      return to(`/parked${toQuery(first.of ?? {})}`, "Look at them");
    case "runbook":
      return to(`/runbooks/${first.alert}`, "What to do");
    case "rules":
      return to("/rules", "Look at the document");
    case "expiring":
      return to("#expiring", "See which");
  }
}
