import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { cutMiddle } from "../../operations/destination-text.ts";
import type { CountedActs, HistorySummary } from "../../operations/history/summary.ts";
import { joined, toMinute } from "../../operations/phrases.ts";
import { fitted, toTable } from "../output/table.ts";

/** Times are in UTC, to the minute, so that two fit beside a name. `--json` has them to the millisecond. */
export function toSummaryText(columns: number, { acts, people }: HistorySummary): string {
  const times = {
    count: ({ count }: CountedActs) => count,
    "first (UTC)": ({ first }: CountedActs) => toMinute(first),
    "last (UTC)": ({ last }: CountedActs) => toMinute(last),
  };
  return joined(
    fitted(columns, (max) =>
      toTable(acts, {
        act: ({ act }) => act,
        drain: ({ drain }) => cutMiddle(toPrintable(drain ?? "(all)"), max),
        ...times,
      }),
    ),
    "\n",
    fitted(columns, (max) =>
      toTable(people, {
        by: ({ by }) => cutMiddle(toPrintable(by), max),
        act: ({ act }) => act,
        ...times,
      }),
    ),
  );
}
