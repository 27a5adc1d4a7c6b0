/** What a plan's publishes take and cost, as far as it is known, in lines for a person. */
import type { Estimate } from "../../plan/estimate.ts";
import type { Room } from "../../plan/guards-and-ceilings.ts";
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { toLeastText } from "../../operations/plans/decision-text.ts";
import { counted, joined, toSpan } from "../../operations/phrases.ts";
import { fitted, toTable } from "../output/table.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";
import { toCeilingText } from "./limits-text.ts";

/** Empty if nothing is to be published, now or later. */
export function toEstimateText(columns: number, estimate: Estimate, room: Room): string {
  const { billed, later, least } = estimate;
  if (billed.best === 0) return "";
  const best = billed.best === billed.worst ? "" : `${billed.best} to `;
  const bills = `${best}${counted(billed.worst, "attempt")} for ${counted(billed.best, "publish", "publishes")}`;
  const become = later?.publishes === 1 ? "becomes" : "become";
  return joined(
    "\n  time and cost\n",
    least !== null && wrapWords(columns, 4, "limit     ", toLeastText(least)),
    later !== null &&
      wrapWords(
        columns,
        4,
        "held      ",
        `${later.publishes} ${become} due ${toSpan(later.fromMs, later.toMs, 0)}`,
      ),
    wrapList(columns, 4, "bills", [bills]),
    toCeilingText(columns, room, estimate),
    toDestinationsText(columns, estimate),
  );
}

const indent = 4;

function toDestinationsText(columns: number, { destinations: { top, more }, later }: Estimate): string {
  if (top.length === 0) return "";
  const rows = [
    ...top.map((row) => ({ ...row, name: toDestinationText(row.origin) })),
    ...(more.destinations > 0 ? [{ ...more, name: `${more.destinations} more` }] : []),
  ];
  const toText = (max: number): string =>
    toTable(rows, {
      destination: ({ name }) => cutMiddle(name, max),
      now: ({ publishes }) => publishes,
      ...(later !== null && { later: (row) => row.later }),
    });
  return `\n${fitted(columns - indent, toText).replaceAll(/^(?=.)/gm, " ".repeat(indent))}`;
}
