import { z } from "zod";
import { defineOperation, faceOf, field } from "../define.ts";
import { number } from "../phrases.ts";
import { choosePlan, requireMessages } from "../plans/choose-plan.ts";
import { planId } from "../plans/plan-operation.ts";

export const apply = defineOperation({
  words: "apply",
  path: "/plans/:id/apply",
  title: "Apply",
  role: "operator",
  reasonOf: "an apply",
  about: "act on exactly what a plan selected, also in plan mode; obeys pauses and limits",
  needs: "rules",
  example: { id: "1f2e3d4c", reason: "INC-7 is over" },
  mayRefuse: true,
  isBegun: true,
  hasOwnCommand: true,
  input: z.strictObject({
    id: field(planId, {
      ...faceOf(planId),
      about: "a plan of `redriver plans`; of the command also a file of `redriver plan --out`, - is stdin",
    }),
    messages: field(z.number().int().min(0).optional(), {
      about: "how many messages you mean: nothing is done if the plan acts on another number",
      value: "n",
    }),
  }),
  row: z.object({ id: z.string() }),
  async *run({ plans, input, by, reason: why }) {
    const desk = await plans();
    const plan = choosePlan(await desk.list(), input.id);
    requireMessages(plan, input.messages);
    await desk.apply(plan.id, { by, why });
    const said = `plan ${plan.id} is being applied: ${number(plan.made?.acts ?? 0)} messages`;
    yield { said, row: { id: plan.id } };
  },
});
