import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";

/** What lists show of an id. The rest is random too, and 20 plans are the most. */
export const shownIdLength = 8;

/** By its id, or the beginning of it. Throws `not-found`, and `command-misused` if several begin so. */
export function choosePlan(plans: readonly SharedPlan[], given: string): SharedPlan {
  const found = plans.filter(({ id }) => given !== "" && id.startsWith(given));
  const [plan] = found;
  if (plan !== undefined && found.length === 1) return plan;
  const [code, problem] =
    found.length === 0
      ? (["not-found", "is there"] as const)
      : (["command-misused", "is the only one"] as const);
  throw new RedriverError(
    code,
    `no plan ${JSON.stringify(given)} ${problem}: redriver plans lists them; one is kept for a day`,
  );
}
