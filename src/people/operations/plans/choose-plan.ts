import { planRefused, RedriverError } from "../../../job/contracts/errors.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";

/** What lists show of an id. The rest is random too, and 20 plans are the most. */
export const shownIdLength = 8;

/** By its id, or the beginning of it. Throws `not-found`, and `command-misused` if several begin so. */
export function choosePlan(plans: readonly SharedPlan[], given: string): SharedPlan {
  const found = plans.filter(({ id }) => given !== "" && id.startsWith(given));
  const [plan] = found;
  if (plan !== undefined && found.length === 1) return plan;
  const why = `no plan ${JSON.stringify(given)} is ${found.length === 0 ? "there" : "the only one"}`;
  const code = found.length === 0 ? "not-found" : "command-misused";
  throw new RedriverError(code, `${why}: redriver plans lists them; one is kept for a day`);
}

/** Of a page that was loaded before, or a script that has counted. Throws `plan-refused` for another number. */
export function requireMessages({ made }: Pick<SharedPlan, "made">, messages: number | undefined): void {
  if (messages === undefined || made === null || messages === made.acts) return;
  throw planRefused(`the plan acts on ${made.acts} messages, not on ${messages}`);
}
