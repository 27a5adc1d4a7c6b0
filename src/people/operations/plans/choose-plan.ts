import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";

/** What lists show of an id. The rest is random too, and 20 plans are the most. */
export const shownIdLength = 8;

/** By its id, or the beginning of it. Throws `command-misused`. */
export function choosePlan(plans: readonly SharedPlan[], given: string): SharedPlan {
  const found = plans.filter(({ id }) => given !== "" && id.startsWith(given));
  const [plan] = found;
  if (plan !== undefined && found.length === 1) return plan;
  const problem = found.length === 0 ? "is there" : "is the only one";
  throw new RedriverError(
    "command-misused",
    `no plan ${JSON.stringify(given)} ${problem}: redriver plans lists them; one is kept for a day`,
  );
}
