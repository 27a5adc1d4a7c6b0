import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";

/** Of a page that was loaded before, or a script that has counted. Throws `plan-refused` for another number. */
export function requireMessages({ made }: Pick<SharedPlan, "made">, messages: number | undefined): void {
  if (messages === undefined || made === null || messages === made.acts) return;
  throw new RedriverError("plan-refused", `the plan acts on ${made.acts} messages, not on ${messages}`);
}
