import type { Applied } from "../../redrive/plan/apply.ts";
import type { LaneWaits } from "../../redrive/plan/lane-waits.ts";
import { skippedOf } from "../../redrive/plan/skips.ts";
import { skipsOf, type ApplyLine } from "./text.ts";

/** A drain's part of an apply as `--json` prints it. */
export function toApplyJson({ drain, host, check, applied }: ApplyLine): object {
  const { planned, notNow, done } = check;
  const { gone, changed, otherwise } = check.skips;
  const skips = skipsOf({ check, applied });
  return {
    drain,
    host,
    check: { planned, notNow, done, gone, changed, otherwise },
    applied: toAppliedJson(applied),
    skippedRecords: { count: skippedOf(skips), records: skips.examples },
  };
}

/** Of the tally what an apply can do; the rest of it is of passes. */
function toAppliedJson({ tally, dropped, skips, leftLanes, stop, ...applied }: Applied): object {
  const { republished, deduplicated, deleted, parked, comeBacks } = tally;
  return {
    tally: { republished, deduplicated, dropped, deleted, parked, comeBacks },
    meanwhile: applied.meanwhile,
    skipped: skippedOf(skips),
    left: applied.left,
    leftReasons: applied.leftReasons,
    leftLanes: leftLanes === null ? null : toLanesJson(leftLanes),
    stoppedBy: stop?.kind ?? null,
  };
}

function toLanesJson({ lanes, more }: LaneWaits): object {
  return {
    lanes: lanes.map(({ origin, due: held, state, sinceMs, why, nextInMs }) => {
      return { origin, held, state, sinceMs, why, nextInMs };
    }),
    more: { lanes: more.lanes, held: more.due },
  };
}
