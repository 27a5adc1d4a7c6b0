import { toPrintable } from "../../message/show-masked-values.ts";
import type { CountedActs, HistorySummary } from "../../operations/history/summary.ts";
import { joined } from "../../operations/phrases.ts";
import { toTable } from "../output/table.ts";

export function toSummaryText({ acts, people }: HistorySummary): string {
  const times = {
    count: ({ count }: CountedActs) => count,
    first: ({ first }: CountedActs) => new Date(first).toISOString(),
    last: ({ last }: CountedActs) => new Date(last).toISOString(),
  };
  return joined(
    toTable(acts, {
      act: ({ act }) => act,
      drain: ({ drain }) => toPrintable(drain ?? "-"),
      ...times,
    }),
    "\n",
    toTable(people, { by: ({ by }) => toPrintable(by), act: ({ act }) => act, ...times }),
  );
}
