/** A plan in lines for a person: what would be done, why, and what it would take. */
import type { PlanReport } from "../../operations/plans/freeze-plan.ts";
import { toHold, toOtherLaneText } from "../../operations/plans/decision-text.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import type { PlannedFailures } from "../../plan/failure-count.ts";
import {
  failuresHeading,
  shownFailures,
  toFailureLine,
  toOtherFailures,
} from "../output/failure-group-text.ts";
import { counted, joined, present, toTime } from "../../operations/phrases.ts";
import { wrapList, wrapText, wrapWords } from "../output/wrap.ts";
import { toHaltedText, toPlanLanesText } from "./lanes-text.ts";
import { toEstimateText } from "./estimate-text.ts";
import { toClockText, toGuardText } from "./limits-text.ts";
import { toDecisionsText, toExpiryText, toItem, toRulesText } from "./decisions-text.ts";

export function toPlanText(columns: number, report: PlanReport): string {
  const { filter, createdAt, complete, drains } = report;
  return joined(
    `Plan of ${toTime(createdAt)}, document ${report.documentHash.slice(0, 12)}. Nothing was changed.\n`,
    report.ledger === "none" &&
      wrapWords(
        columns,
        0,
        "",
        "ledger: none, so what was already published is not known, nor what is parked or paused. It is kept in Redis: redis.url (REDRIVER_REDIS_URL)",
      ),
    toFilterText(filter),
    !complete && "Stopped before all was read.\n",
    // Ages go by the service's clock.
    ...drains.map((drain) => `\n${toDrainText(columns, drain, createdAt + drain.clock.serviceAheadMs)}`),
  );
}

export function toFilterText({ rules, host, failure, limit, discard, fromArchive }: PlanFilter): string {
  const asked = present([
    rules && `rule ${rules.join(" or ")}`,
    host !== undefined && `host ${host}`,
    failure !== undefined && `failure ${failure}`,
    limit !== undefined && `at most ${counted(limit, "record")} of a drain`,
  ]);
  return joined(
    asked.length > 0 && `Only: ${asked.join(", ")}\n`,
    fromArchive &&
      "From the archive: what it alone has is published again. What is held or parked stays there.\n",
    discard && "To discard: an apply archives each first, then deletes it. Nothing of it is sent again.\n",
  );
}

function toDrainText(columns: number, drain: PlanReport["drains"][number], now: number): string {
  const { decisions, planned, listed, estimate, pausedBy, lanes, otherLanes = [] } = drain;
  const looked = `${listed === planned ? "" : `${planned} of `}${counted(listed, "record")}`;
  const halted = toHaltedText(lanes);
  const hasNoArchive = decisions.drop > 0 && drain.archive === "missing";
  return joined(
    `${drain.drain} (mode ${drain.mode}) on ${drain.host}: ${looked}\n`,
    `  entered until ${toTime(drain.range.to)}${drain.cut ? "; the limit was reached, there may be more" : ""}\n`,
    toExpiryText(columns, 2, drain.expiry, now, "always"),
    toClockText(columns, drain.clock),
    pausedBy !== null && wrapText(columns, 2, "paused    ", pausedBy),
    toDecisionsText(columns, drain, now, {
      label: "now",
      waiting: pausedBy === null ? halted : "paused",
      behind: joined(
        toGuardText(columns, drain.room.closedGuards),
        hasNoArchive && wrapText(columns, 2, "archive   ", "none, so what would be dropped is held"),
      ),
    }),
    // Halted lanes are counted by destination, not by rule.
    toRulesText(
      columns,
      drain.rules,
      now,
      pausedBy !== null ? "paused" : halted && "or held by a halt, see lanes",
    ),
    drain.failures.top.length > 0 && `\n${toFailureText(columns, drain.failures)}`,
    toPlanLanesText(columns, lanes),
    ...otherLanes.map((one) => wrapWords(columns, 2, "", toOtherLaneText(one, now))),
    toEstimateText(columns, estimate, drain.room, toHold(drain)),
  );
}

function toFailureText(columns: number, { top, more }: PlannedFailures): string {
  const hidden = top.slice(shownFailures);
  const rest = hidden.reduce((sum, { count }) => sum + count, more.count);
  return joined(
    failuresHeading,
    ...top
      .slice(0, shownFailures)
      .flatMap(({ decisions, example, ...failure }) => [
        toFailureLine(columns, failure),
        example && wrapText(columns, 14, "such as ", example),
        wrapList(columns, 14, "", decisions.map(toItem), 0),
      ]),
    rest > 0 && toOtherFailures(rest, `${hidden.length + more.kinds} or more`),
  );
}
