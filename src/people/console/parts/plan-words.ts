import type { PlanState } from "../../../job/contracts/plans.ts";

export const stateWords: Readonly<Record<PlanState, string>> = {
  making: "being made",
  ready: "ready",
  applying: "being applied",
  stopping: "stopping at the end of the batch",
  applied: "applied",
  interrupted: "ended early",
  failed: "failed",
  unreadable: "not readable",
};
