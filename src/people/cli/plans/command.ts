import { choosePlan, shownIdLength } from "../../operations/plans/choose-plan.ts";
import { planReading, plansReading } from "../../operations/plans/readings.ts";
import type { Register } from "../io.ts";
import { toJsonLine, printResult } from "../output/print.ts";
import { openNamedOutput } from "../output/named-output.ts";
import { addReading } from "../operation-command.ts";
import type { PlanApplyDrain, SharedPlan } from "../../../job/contracts/plans.ts";
import { toNothing } from "../../operations/plans/decision-text.ts";
import type { ShownPlan } from "../../operations/plans/plan-desk.ts";
import {
  ifAny,
  joined,
  present,
  toAge,
  toCountedBy,
  toCounts,
  toIn,
  toTime,
} from "../../operations/phrases.ts";
import { sumOf } from "../../read/totals.ts";
import { toTable } from "../output/table.ts";
import { toAnswerText } from "../output/fields-text.ts";
import { toFilterFields, toPlanText } from "../plan/text.ts";

export const registerPlans: Register = (program, context) => {
  const { io } = context;
  const plansCommand = program
    .command("plans")
    .description("plans that commands, replicas and the console share");
  addReading(plansCommand, plansReading, context, async ({ plans, now }, { json }) => {
    const all = await (await plans()).list();
    if (json === true) for (const plan of all) io.out(toJsonLine(plan));
    else io.out(toPlansTable(io.columns, all, now));
  }).option("--json", "print one JSON object per line");
  addReading(plansCommand, planReading, context, async (call, { out, json }) => {
    const desk = await call.plans();
    const { id } = choosePlan(await desk.list(), call.input.id);
    const shown = await desk.show(id);
    if (out === undefined) {
      printResult(io, json, shown, () => toShownText(io.columns, shown, call.now));
      return;
    }
    const output = await openNamedOutput(out, io);
    try {
      for await (const part of (await desk.file(id)) ?? []) await output.write(part.toString("utf8"));
      await output.commit();
    } finally {
      await output.discard();
    }
  })
    .option("--out <file>", "write its file, which `redriver apply` takes; - is stdout")
    .option("--json", "print as JSON");
};

function toPlansTable(columns: number, plans: readonly SharedPlan[], now: number): string {
  return toTable(columns, plans, {
    plan: ({ id }) => id.slice(0, shownIdLength),
    made: ({ createdAt }) => `${toAge(createdAt, now)} ago`,
    by: ({ by }) => by,
    drains: ({ drains }) => drains.join(","),
    state: ({ state }) => state,
    records: ({ making, made }) => made?.records ?? making?.planned ?? 0,
    acts: ({ made }) => made?.acts ?? "-",
    done: ({ apply }) => (apply ? sumOf(apply.drains, ({ done }) => done) : "-"),
    "done without it": ({ apply }) => (apply ? sumOf(apply.drains, (one) => doneOf(one) - one.done) : "-"),
  });
}

export function toShownText(columns: number, { plan, report }: ShownPlan, now: number): string {
  const { id, state, why, by, replica, expiresAt, making, made, apply } = plan;
  const nothing = apply && state === "applied" && toNothing(apply.drains, plan.filter.discard === true);
  const view = {
    why,
    made: `${toTime(plan.createdAt)} by ${by}, kept for ${toIn(expiresAt - now).replace(/^in /, "")}`,
    of: plan.drains,
    "so far": making && `${making.listed} read, ${making.planned} in the plan, by ${replica}`,
    records: made && `${made.records}, ${made.acts} to act on`,
    apply: apply && `${toTime(apply.startedAt)} by ${apply.by}: ${apply.why}`,
    "": apply?.drains.map(toProgress).join("\n"),
    ...(report === null && toFilterFields(plan.filter)),
  };
  return joined(
    toAnswerText(columns, `Plan ${id}: ${state}${nothing ? `, but ${nothing}` : ""}`, view, now),
    report && `\n${toPlanText(columns, report)}`,
  );
}

function toProgress(progress: PlanApplyDrain): string {
  const {
    drain,
    planned,
    before,
    done,
    meanwhile = 0,
    skipped,
    left,
    leftReasons,
    verdict,
    countedAt,
  } = progress;
  const { gone, changed, otherwise } = skipped;
  const why = toCounts(leftReasons).join(", ");
  const rest = present([
    ifAny(gone + changed + otherwise, "skipped"),
    left > 0 && `${left} left${why && ` (${why})`}`,
    verdict !== null && verdict.text,
  ]);
  const parts = present([
    before > 0 && `${before} before it`,
    done > 0 && `${done} by it`,
    meanwhile > 0 && `${meanwhile} by others meanwhile`,
  ]);
  const by = done < doneOf(progress) ? ` (${parts.join(", ")})` : "";
  return [`${drain}: ${doneOf(progress)} of ${planned} done${toCountedBy(countedAt)}${by}`, ...rest].join(
    ", ",
  );
}

function doneOf({ before, done, meanwhile = 0 }: PlanApplyDrain): number {
  return before + done + meanwhile;
}
