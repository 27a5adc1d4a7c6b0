import { z } from "zod";
import { defineOperation } from "../define.ts";
import { onPlan, planId, planRow } from "../plans/plan-operation.ts";

export const stop = defineOperation({
  words: "plans stop",
  path: "/plans/:id/stop",
  title: "Stop at the end of the batch",
  role: "operator",
  reasonOf: "a stop",
  about: "end the making or the apply of one at the end of a page or batch",
  needs: "names",
  example: { id: "1f2e3d4c", reason: "INC-7: the receiver is down again" },
  mayRefuse: true,
  input: z.strictObject({ id: planId }),
  row: planRow,
  run: (call) =>
    onPlan(call, "stop", "stops at the end of its page or batch; what is left can be applied again"),
});
