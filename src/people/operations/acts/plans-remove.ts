import { z } from "zod";
import { defineOperation } from "../define.ts";
import { onPlan, planId, planRow } from "../plans/plan-operation.ts";

export const remove = defineOperation({
  words: "plans remove",
  path: "/plans/:id/remove",
  title: "Remove the plan",
  role: "operator",
  reasonOf: "a removal",
  about: "forget one that nobody works on; its messages stay as they are",
  needs: "names",
  example: { id: "1f2e3d4c", reason: "INC-7 is over" },
  mayRefuse: true,
  page: () => "/plans",
  input: z.strictObject({ id: planId }),
  row: planRow,
  run: (call) => onPlan(call, "remove", "is removed; its messages stay as they are"),
});
