/** The forms that pages show, each of an operation. */
import { apply } from "../../operations/acts/apply.ts";
import { content } from "../../operations/acts/content.ts";
import { acknowledge } from "../../operations/acts/failures-acknowledge.ts";
import { note } from "../../operations/acts/failures-note.ts";
import { quiet } from "../../operations/acts/failures-quiet.ts";
import { probe } from "../../operations/acts/lanes-probe.ts";
import { reset } from "../../operations/acts/lanes-reset.ts";
import { release } from "../../operations/acts/parked-release.ts";
import { pause } from "../../operations/acts/pause.ts";
import { keep } from "../../operations/acts/plan-keep.ts";
import { remove } from "../../operations/acts/plans-remove.ts";
import { stop } from "../../operations/acts/plans-stop.ts";
import { resume } from "../../operations/acts/resume.ts";
import { toAct } from "./operation-act.ts";

export const makePlanAct = toAct(keep);
export const applyPlanAct = toAct(apply);
export const contentAct = toAct(content);
export const acknowledgeAct = toAct(acknowledge);
export const noteAct = toAct(note);
export const quietAct = toAct(quiet);
export const probeAct = toAct(probe);
export const resetLaneAct = toAct(reset);
export const releaseAct = toAct(release);
export const pauseAct = toAct(pause);
export const resumeAct = toAct(resume);
export const stopPlanAct = toAct(stop);
export const removePlanAct = toAct(remove);
