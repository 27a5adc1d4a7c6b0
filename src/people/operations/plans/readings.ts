import { z } from "zod";
import type { PlanId } from "../../../job/contracts/ids.ts";
import { planFilter, sharedPlan } from "../../../job/contracts/plans.ts";
import { counts, defineReading, time } from "../reading.ts";
import { planId } from "./plan-operation.ts";

export const plansReading = defineReading({
  path: "/plans",
  summary: "Plans that the replicas share, the newest first; at most 20",
  command: { words: "plans list", about: "all of them, the newest first" },
  needs: "names",
  input: z.strictObject({}),
  answer: z.object({ plans: z.array(sharedPlan) }),
  run: async ({ plans }) => ({ plans: await (await plans()).list() }),
});

export const planReading = defineReading({
  path: "/plans/:id",
  summary: "One plan: its progress, and what it would do",
  command: { words: "plans show", about: "one plan: how far it is, and what it would do" },
  needs: "names",
  input: z.strictObject({ id: planId }),
  answer: z.object({
    plan: sharedPlan,
    report: z
      .object({
        createdAt: time,
        documentHash: z.string(),
        ledger: z.enum(["there", "none"]),
        filter: planFilter,
        complete: z.boolean(),
        damaged: z
          .array(z.looseObject({ file: z.string(), why: z.string() }))
          .exactOptional()
          .describe("Of the archive: what it hides is in no part."),
        drains: z.array(z.looseObject({ drain: z.string(), host: z.string(), decisions: counts })),
      })
      .nullable()
      .describe(
        "As `redriver plan --json` prints it; null while the plan is not whole, and if another version has made it.",
      ),
  }),
  run: async ({ plans, input: { id } }) => (await plans()).show(id as PlanId),
});
