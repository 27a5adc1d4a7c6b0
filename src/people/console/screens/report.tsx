/** What an outage came to, and the same as Markdown to paste into a post mortem. */
import { toCell, toMarkdown, toTables } from "../../operations/report/markdown.ts";
import { readReport, type OutageReport } from "../../operations/report/read.ts";
import { Filters } from "../parts/filters.tsx";
import { Table } from "../parts/table.tsx";
import { Lines } from "../parts/text.tsx";
import { defineScreen, still } from "../screen.ts";
import { spanFilters, spanOf } from "./history.tsx";

export const reportScreen = defineScreen<OutageReport>({
  path: "/report",
  area: "history",
  role: "viewer",
  title: () => "Outage report",
  load: ({ core, query, now }) => readReport({ core, input: spanOf(query), now }),
  sections: [
    still("report", (report, { query }) => (
      <>
        <Filters path="/report" query={query} filters={spanFilters} />
        <details class="act">
          <summary>As Markdown</summary>
          <Lines text={toMarkdown(report)} />
        </details>
        {toTables(report).map(([title, head, rows]) => (
          <>
            <h2>{title}</h2>
            <Table
              caption={title}
              empty="None."
              rows={rows}
              columns={(to) =>
                head.map((name, at) => {
                  const isAmount = rows.some((row) => typeof row[at] === "number");
                  return to[isAmount ? "amounts" : "column"](name, (row) => <bdi>{toCell(row[at])}</bdi>);
                })
              }
            />
          </>
        ))}
      </>
    )),
  ],
});
