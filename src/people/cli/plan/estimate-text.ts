/** What a plan publishes, and the time that its limits need at least, in lines for a person. */
import type { Estimate } from "../../plan/estimate.ts";
import type { Room } from "../../plan/guards-and-ceilings.ts";
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { toLeastText } from "../../operations/plans/decision-text.ts";
import { joined } from "../../operations/phrases.ts";
import { fitted, toTable } from "../output/table.ts";
import { wrapWords } from "../output/wrap.ts";
import { toCeilingText } from "./limits-text.ts";

/** Empty if nothing is to be published, now or later. */
export function toEstimateText(columns: number, estimate: Estimate, room: Room): string {
  const { publishes, later, least } = estimate;
  if (publishes + later === 0) return "";
  return joined(
    "\n  publishes\n",
    least !== null && wrapWords(columns, 4, "limit     ", toLeastText(least)),
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
      ...(later > 0 && { later: (row) => row.later }),
    });
  return `\n${fitted(columns - indent, toText).replaceAll(/^(?=.)/gm, " ".repeat(indent))}`;
}
