/** What a plan publishes, and the time that its limits need at least, in lines for a person. */
import type { Estimate } from "../../plan/estimate.ts";
import type { Room } from "../../plan/guards-and-ceilings.ts";
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { toLeastText, type toHold } from "../../operations/plans/decision-text.ts";
import { joined } from "../../operations/phrases.ts";
import { fitted, toTable } from "../output/table.ts";
import { wrapWords } from "../output/wrap.ts";
import { toCeilingText } from "./limits-text.ts";

/** Empty if nothing is to be published, now or later. `hold`: of what is due. */
export function toEstimateText(
  columns: number,
  estimate: Estimate,
  room: Room,
  hold: ReturnType<typeof toHold> = null,
): string {
  const { publishes, later, least } = estimate;
  if (publishes + later === 0) return "";
  const limit = least && toLeastText(least);
  return joined(
    "\n  publishes\n",
    limit !== null && wrapWords(columns, 4, "limit     ", limit),
    toCeilingText(columns, room, estimate),
    toDestinationsText(columns, estimate, hold),
  );
}

const indent = 4;

function toDestinationsText(
  columns: number,
  { destinations: { top, more }, later }: Estimate,
  hold: ReturnType<typeof toHold>,
): string {
  if (top.length === 0) return "";
  const rows = [
    ...top.map((row) => ({ ...row, name: toDestinationText(row.origin) })),
    ...(more.destinations > 0 ? [{ ...more, origin: null, name: `${more.destinations} more` }] : []),
  ];
  const isHeld = (origin: string | null): boolean => hold?.holds(origin) === true;
  const toText = (max: number): string =>
    toTable(rows, {
      destination: ({ name }) => cutMiddle(name, max),
      now: ({ publishes, origin }) => (isHeld(origin) ? 0 : publishes),
      ...(hold !== null && {
        [`held by ${hold.by}`]: ({ publishes, origin }) => (isHeld(origin) ? publishes : 0),
      }),
      ...(later > 0 && { later: (row) => row.later }),
    });
  return `\n${fitted(columns - indent, toText).replaceAll(/^(?=.)/gm, " ".repeat(indent))}`;
}
