import { styleText } from "node:util";
import type { ApplyEnd } from "../../operations/plans/apply-shared-plan.ts";
import {
  settledText,
  toDamageText,
  toNothing,
  toSkipCounts,
  toSkipText,
} from "../../operations/plans/decision-text.ts";
import type { LaneWaits } from "../../plan/lane-waits.ts";
import { addSkips, skippedOf, type SkipReport } from "../../plan/skipped-by-apply.ts";
import { toTable } from "../output/table.ts";
import { ifAny, joined, present, toTime } from "../../operations/phrases.ts";

export type ApplyLine = Omit<ApplyEnd, "drain" | "runtime" | "range"> & { readonly drain: string };

export function toQuestion(
  createdAt: number,
  lines: readonly Pick<ApplyLine, "drain" | "host" | "check" | "archivedIn">[],
): string {
  const parts = lines.map(({ drain, host, check, archivedIn }) => {
    const acts = { republish: 0, drop: 0, park: 0, settle: 0, hold: 0 };
    for (const { then } of check.open.values()) acts[then] += 1;
    const discard = archivedIn && `to discard: archived in ${archivedIn}, then deleted, and not sent again`;
    const orders = present([
      ifAny(acts.republish, "to send again"),
      ifAny(acts.drop, discard ?? "to archive and delete"),
      ifAny(acts.park, "to park"),
      ifAny(acts.settle, settledText),
    ]);
    const rest = present([
      orders.join(", ") || "nothing to do",
      ifAny(check.done + check.meanwhile, "done already"),
      ifAny(skippedOf(check.skips), `skipped (${toSkipCounts(check.skips)})`),
    ]);
    return `  ${drain} on ${host}: ${rest.join("; ")}`;
  });
  return `Apply the plan of ${toTime(createdAt)}:\n${parts.join("\n")}\nGo on?`;
}

function skipsOf({ check, applied }: Pick<ApplyLine, "check" | "applied">): SkipReport {
  return addSkips(check.skips, applied.skips);
}

const shownSkips = 5;

/** How many of a drain were skipped and why, and the first of them one by one; empty if none were. */
export function toSkipsText(line: Pick<ApplyLine, "drain" | "check" | "applied">): string {
  const skips = skipsOf(line);
  const skipped = skippedOf(skips);
  if (skipped === 0) return "";
  const shown = skips.examples.slice(0, shownSkips);
  return joined(
    `${line.drain}: ${skipped} skipped: ${toSkipCounts(skips)}\n`,
    ...shown.map((skip) => `  ${toSkipText(skip)}\n`),
    skipped > shown.length && `  and ${skipped - shown.length} more\n`,
    ...(line.check.damaged ?? []).map((one) => `  damaged: ${toDamageText(one)}\n`),
  );
}

export function toApplyText(columns: number, lines: readonly ApplyLine[]): string {
  return toTable(columns, lines, counts);
}

/** `orders: 5 sent, 5 came back: 503, the receiver was still down at 07:24:50 UTC`, in red if it is bad; in amber if this apply did nothing. */
export function toVerdictLine(
  { drain, verdict, progress, archivedIn }: Pick<ApplyLine, "drain" | "verdict" | "progress" | "archivedIn">,
  isColoured: boolean,
): string {
  if (progress.planned === 0) return "";
  const nothing = toNothing([progress], archivedIn !== undefined);
  const texts = present([nothing, verdict?.text]);
  if (texts.length === 0) return "";
  const text = `${drain}: ${texts.join("; of these, ")}`;
  const colour = verdict?.isBad === true ? "red" : nothing === null ? null : "yellow";
  return `${isColoured && colour !== null ? styleText(["bold", colour], text, { validateStream: false }) : text}\n`;
}

const counts = {
  drain: ({ drain }) => drain,
  planned: ({ check }) => check.planned,
  before: ({ check }) => check.done,
  "sent again": ({ applied }) => applied.tally.republished,
  dropped: ({ applied }) => applied.dropped,
  deleted: ({ applied }) => applied.tally.deleted,
  parked: ({ applied }) => applied.tally.parked,
  meanwhile: ({ applied }) => applied.meanwhile,
  skipped: (line) => skippedOf(skipsOf(line)),
  left: ({ applied }) => applied.left,
} as const satisfies Readonly<Record<string, (line: ApplyLine) => string | number>>;

export function toApplyJson(line: ApplyLine): object {
  const { drain, host, check, applied, verdict } = line;
  const { planned, notNow, done } = check;
  const { gone, changed, otherwise } = check.skips;
  // Of the tally what an apply can do; the rest of it is of passes.
  const { republished, deduplicated, deleted, parked, comeBacks } = applied.tally;
  const { meanwhile, left, leftReasons, leftLanes, stop } = applied;
  const skips = skipsOf(line);
  return {
    drain,
    host,
    check: { planned, notNow, done, gone, changed, otherwise },
    applied: {
      tally: { republished, deduplicated, dropped: applied.dropped, deleted, parked, comeBacks },
      meanwhile,
      skipped: skippedOf(applied.skips),
      left,
      leftReasons,
      leftLanes: leftLanes && toLanesJson(leftLanes),
      stoppedBy: stop?.kind ?? null,
    },
    verdict,
    skippedRecords: { count: skippedOf(skips), records: skips.examples },
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
