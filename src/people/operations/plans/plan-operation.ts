import { z } from "zod";
import type { PlanId } from "../../../job/contracts/ids.ts";
import { field, type Did, type OperationCall } from "../define.ts";
import { nameText } from "../fields.ts";
import { choosePlan } from "./choose-plan.ts";
import type { PlanDesk } from "./plan-desk.ts";

export const planId = field(nameText, {
  about: "its id, or how that begins",
  value: "plan",
  isArgument: true,
});

export const planRow = z.object({ id: z.string(), act: z.enum(["stop", "remove"]) });

export type PlanRow = z.output<typeof planRow>;

/** Throws `not-found` for no plan, and `plan-refused` for what cannot be done now. */
export async function* onPlan(
  { plans, input, by, reason }: OperationCall<{ readonly id: string }>,
  act: PlanRow["act"],
  said: string,
): AsyncGenerator<Did<PlanRow>> {
  const desk: PlanDesk = await plans();
  const id: PlanId = choosePlan(await desk.list(), input.id).id;
  await desk[act](id, { by, why: reason });
  yield { said: `plan ${id} ${said}`, row: { id, act } };
}
