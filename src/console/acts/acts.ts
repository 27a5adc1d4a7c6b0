/** Every act of the console, by its name. */
import type { Act } from "./act.ts";
import { noteAct, quietAct, unquietAct } from "./failure-marks.ts";
import { probeAct, resetLaneAct } from "./lanes.ts";
import { pauseAct, resumeAct } from "./pausing.ts";
import { applyPlanAct, makePlanAct, removePlanAct, stopPlanAct } from "./plans.ts";

export const acts: readonly Act[] = [
  pauseAct,
  resumeAct,
  probeAct,
  resetLaneAct,
  noteAct,
  quietAct,
  unquietAct,
  makePlanAct,
  applyPlanAct,
  stopPlanAct,
  removePlanAct,
];
