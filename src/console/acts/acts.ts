/** Every act of the console, by its name. */
import type { Act } from "./act.ts";
import { applyPlanAct, makePlanAct, removePlanAct, stopPlanAct } from "./plans.ts";

export const acts: readonly Act[] = [makePlanAct, applyPlanAct, stopPlanAct, removePlanAct];
