/** Frozen selections that all replicas share: made here, shown and applied by whoever agrees with them. */
import { defined } from "../../../job/message/defined.ts";
import type { Core } from "../../../job/door.ts";
import { planLimits, type PlanFilter, type SharedPlan } from "../../../job/contracts/plans.ts";
import { keep as makePlanAct } from "../../operations/acts/plan-keep.ts";
import { ActForm } from "../parts/act-form.tsx";
import { stateWords } from "../parts/plan-progress.tsx";
import { Table } from "../parts/table.tsx";
import { sumOf } from "../../read/totals.ts";
import { number, present } from "../../operations/phrases.ts";
import { Foreign } from "../parts/text.tsx";
import { Ago } from "../parts/time.tsx";
import { filterOf } from "../query.ts";
import { defineScreen, live, still, type Drawn, type Html, type ScreenContext } from "../screen.ts";

export const plansScreen = defineScreen<readonly SharedPlan[]>({
  path: "/plans",
  area: "plans",
  role: "viewer",
  title: () => "Plans",
  load: ({ plans }) => plans.list(),
  sections: [
    still("plans-about", () => (
      <p>
        A plan freezes what would be done to what waits now. Making one changes nothing; an apply acts on
        exactly what it selected.
      </p>
    )),
    // Who comes by a link of another page came for the form; others for the list.
    still("make", (all, context) => (isAsked(context) ? <Make all={all} context={context} /> : null)),
    live("plans-list", (all, { now }) => <List all={all} now={now} />),
    still("make-below", (all, context) => (isAsked(context) ? null : <Make all={all} context={context} />)),
  ],
});

function isAsked({ query }: ScreenContext): boolean {
  return query.size > 0;
}

function Make({ all, context }: Drawn<{ all: readonly SharedPlan[] }>): Html {
  const given = (name: string): string | undefined => filterOf(context.query, name);
  const limit = given("limit");
  const values = defined({
    drains: given("drain"),
    rules: given("rule"),
    host: given("host"),
    failure: given("failure"),
    limit: limit !== undefined && /^[1-9]\d{0,11}$/.test(limit) ? limit : undefined,
    discard: given("discard") === "true" ? "true" : undefined,
    fromArchive: given("fromArchive") === "true" ? "true" : undefined,
  });
  return (
    <ActForm
      act={makePlanAct}
      values={values}
      isOpen={isAsked(context)}
      context={context}
      choices={toChoices(context.core, values.drains)}
      whyNot={toWhyNoMore(all)}
    />
  );
}

/** `chosen`: drains that another page has named, several with a blank between them. */
function toChoices({ document }: Core, chosen = "") {
  const all = document.drains.map(({ name }) => [name, name] as const);
  const several = chosen.split(" ").join(", ");
  const drains = several === chosen ? all : [[chosen, several] as const, ...all];
  const rules = new Set(document.drains.flatMap((drain) => drain.rules.map(({ name }) => name)));
  return {
    drains: [["", "every drain"] as const, ...drains],
    rules: [["", "any, or none"] as const, ...[...rules].map((name) => [name, name] as const)],
  };
}

function toWhyNoMore(all: readonly SharedPlan[]): string | null {
  if (all.length < planLimits.plans || all.some(({ apply }) => apply === null)) return null;
  return `there are ${all.length} applied plans already, the most at once: remove one`;
}

function List({ all, now }: { readonly all: readonly SharedPlan[]; readonly now: number }): Html {
  return (
    <Table
      caption="Plans"
      empty="There is no plan. One is kept for a day."
      rows={all}
      columns={({ column, amounts }) => [
        column("made", ({ id, createdAt }) => (
          <a href={`/plans/${encodeURIComponent(id)}`}>
            <Ago at={createdAt} now={now} />
          </a>
        )),
        column("by", ({ by }) => <Foreign text={by} />),
        column("of", (plan) => <Selection plan={plan} />),
        column("state", ({ state }) => stateWords[state]),
        amounts("records", ({ making, made }) => made?.records ?? making?.planned ?? 0),
        amounts("to act on", ({ made }) => made?.acts ?? null),
        // An apply tells how far it is now and then.
        column("done by it", ({ apply, state }) =>
          apply === null
            ? null
            : `${state === "applying" ? "at least " : ""}${number(sumOf(apply.drains, ({ done }) => done))}`,
        ),
        amounts(
          "done without it",
          ({ apply }) => apply && sumOf(apply.drains, ({ before, meanwhile = 0 }) => before + meanwhile),
        ),
        column("kept until", ({ expiresAt }) => <Ago at={expiresAt} now={now} />),
      ]}
    />
  );
}

export function Selection({
  plan: { drains, filter },
}: Readonly<{ plan: Pick<SharedPlan, "drains" | "filter"> }>): Html {
  return (
    <>
      {drains.join(", ")}
      {toFilterTexts(filter).map((text) => (
        <>
          , <Foreign text={text} />
        </>
      ))}
    </>
  );
}

function toFilterTexts({ rules, host, failure, limit, discard, fromArchive }: PlanFilter): readonly string[] {
  return present([
    discard !== undefined && "to discard",
    fromArchive !== undefined && "from the archive",
    rules !== undefined && `rule ${rules.join(" or ")}`,
    host !== undefined && `host ${host}`,
    failure !== undefined && `failure ${failure}`,
    limit !== undefined && `at most ${number(limit)} of each drain`,
  ]);
}
