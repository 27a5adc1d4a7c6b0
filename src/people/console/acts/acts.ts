/** Every act of the console, by its name. */
import type { Act } from "./act.ts";
import { noteAct, quietAct, unquietAct } from "./failure-marks.ts";
import { probeAct, resetLaneAct } from "./lanes.ts";
import { pauseAct, resumeAct } from "./pausing.ts";
import { applyPlanAct, makePlanAct, removePlanAct, stopPlanAct } from "./plans.ts";
import { releaseAllAct, releaseOneAct } from "./release.ts";
import { showContentAct } from "./show-content.tsx";

export const acts: readonly Act[] = [
  pauseAct,
  resumeAct,
  probeAct,
  resetLaneAct,
  noteAct,
  quietAct,
  unquietAct,
  releaseOneAct,
  releaseAllAct,
  showContentAct,
  makePlanAct,
  applyPlanAct,
  stopPlanAct,
  removePlanAct,
];
