/** A frozen plan for a person, from its file alone. */
import type { FrozenDrain } from "../../redrive/plan/file-summary.ts";
import type { PlanHead } from "../../redrive/plan/plan-file.ts";
import { formatDuration } from "../../rules/format-duration.ts";
import { counted } from "../output/counted.ts";
import { toDecisionsText, toExpiryText, toRulesText, toTime } from "./rules-text.ts";
import { toFilterText } from "./text.ts";
import { wrapText } from "../output/wrap.ts";

export interface ShownPlan {
  /** Unix ms. */
  readonly createdAt: number;
  readonly version: string;
  readonly documentHash: string;
  readonly flags: PlanHead["flags"];
  readonly drains: readonly FrozenDrain[];
}

/** `now`, Unix ms: ages and what is left of a retention go by it. */
export function toShownPlanText(columns: number, plan: ShownPlan, now: number): string {
  const { createdAt, flags } = plan;
  return [
    `Plan of ${toTime(createdAt)} (${formatDuration(Math.max(0, now - createdAt))} ago), document ${plan.documentHash.slice(0, 12)}.\n`,
    `Made by redriver ${plan.version}; read from the file alone, nothing was asked.\n`,
    toFilterText(flags),
    ...(flags.showContent ? ["With content: header values, bodies and whole URLs are in it.\n"] : []),
    ...plan.drains.map((drain) => `\n${toDrainText(columns, drain, now)}`),
  ].join("");
}

function toDrainText(columns: number, drain: FrozenDrain, now: number): string {
  const host = drain.host === undefined ? "an address that it does not name" : drain.host;
  const source = `${drain.source}, address ${drain.address}, rules ${drain.rulesHash.slice(0, 12)}`;
  return [
    `${drain.drain} on ${host}: ${counted(drain.planned, "record")}, ${drain.acts} to act on\n`,
    `  entered until ${toTime(drain.to)}\n`,
    wrapText(columns, 2, "source    ", source),
    toExpiryText(columns, 2, drain.expiry, now, "always"),
    toDecisionsText(columns, drain, now, { label: "apply" }),
    toRulesText(columns, drain.rules, now),
  ].join("");
}
