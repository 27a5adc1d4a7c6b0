/** A plan's acts: it is made and applied. */
import { defined } from "../../../job/message/defined.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName, PlanId } from "../../../job/contracts/ids.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import type { Act, Values } from "./act.ts";
import { toCommandLine, toReasonWords } from "../../operations/command-line.ts";

const id = { name: "id", label: "Plan", kind: "hidden" } as const;

/** Listing calls the service, so a viewer may not. */
export const makePlanAct: Act = {
  name: "make-plan",
  title: "Make a plan",
  about: "Lists the queue of each drain once, 100 records a call of the service.",
  area: "plans",
  role: "operator",
  asksReason: true,
  fields: [
    { name: "drain", label: "Drain", kind: "choice" },
    { name: "rule", label: "Rule", kind: "choice" },
    { name: "host", label: "Host", kind: "text", hint: "Only this destination; * stands for any part." },
    { name: "failure", label: "Failure", kind: "text", hint: "Only this kind of failure, by its id." },
    {
      name: "limit",
      label: "Limit",
      kind: "text",
      hint: "At most so many records of each drain, whatever the plan does with them: those that it holds, parks or drops count too.",
    },
  ],
  command: ({ drain = "--all", ...filter }) => {
    const options = (["rule", "host", "failure", "limit"] as const).flatMap((name) => {
      const value = filter[name];
      return value === undefined ? [] : [`--${name}`, value];
    });
    return toCommandLine("plan", drain, ...options, "--keep");
  },
  run: async (values, { core, plans, by }) => {
    const { drain, reason: why } = values;
    const drains = drain === undefined ? core.document.drains.map(({ name }) => name) : [drain as DrainName];
    const made = await plans.make({ drains, filter: toFilter(values), by, why });
    return { said: "The plan is being made. Nothing is changed by it.", next: `/plans/${made}` };
  },
};

export const applyPlanAct: Act = {
  name: "apply-plan",
  title: "Apply",
  area: "plans",
  role: "operator",
  asksReason: true,
  fields: [id, { name: "messages", label: "Messages", kind: "hidden" }],
  command: (values) => toCommandLine("apply", values["id"], ...toReasonWords(values)),
  run: async (values, { plans, by }) => {
    const plan = toId(values);
    const { made } = (await plans.show(plan)).plan;
    const { messages, reason = "" } = values;
    if (made !== null && messages !== String(made.acts)) {
      throw new RedriverError(
        "command-misused",
        `this plan acts on ${made.acts} messages, and the form names ${messages ?? "none"}`,
      );
    }
    await plans.apply(plan, { by, why: reason });
    return { said: `The plan is being applied: ${messages ?? 0} messages.` };
  },
};

export function toFileName(plan: string): string {
  return `plan-${plan}.ndjson`;
}

function toId({ id: plan }: Values): PlanId {
  if (plan === undefined) throw new RedriverError("command-misused", "the plan is missing");
  return plan as PlanId;
}

/** Throws `command-misused` for a limit that is no number. */
function toFilter({ rule, host, failure, limit }: Values): PlanFilter {
  if (limit !== undefined && !/^[1-9]\d{0,11}$/.test(limit)) {
    throw new RedriverError("command-misused", "the limit is a whole number, at least 1");
  }
  const rules = rule === undefined ? undefined : [rule];
  return defined({ rules, host, failure, limit: limit === undefined ? undefined : Number(limit) });
}
