/** What an outage came to, and the same as Markdown to paste into a post mortem. */
import { toCell, toMarkdown, toParts, toTitle } from "../../operations/report/markdown.ts";
import { maxLetters, readReport, type OutageReport } from "../../operations/report/read.ts";
import { Filters } from "../parts/filters.tsx";
import { Table } from "../parts/table.tsx";
import { Lines } from "../parts/text.tsx";
import { defineScreen, still } from "../screen.ts";
import { spanFilters, spanOf } from "./history.tsx";

const path = "/report";

export const reportScreen = defineScreen<OutageReport>({
  path,
  area: "history",
  role: "viewer",
  title: toTitle,
  load: ({ core, query, now }) => readReport(core, spanOf(query), now, maxLetters),
  sections: [
    still("report", (report, { query }) => (
      <>
        <Filters path={path} query={query} filters={spanFilters} />
        <details class="act">
          <summary>As Markdown</summary>
          <Lines text={toMarkdown(report)} />
        </details>
        {toParts(report).map((part) => {
          if (typeof part === "string") return <p>{part}</p>;
          const [title, head, rows] = part;
          const isAmount = (at: number): boolean => rows.some((row) => typeof row[at] === "number");
          return (
            <>
              <h2>{title}</h2>
              <Table
                caption={title}
                empty=""
                rows={rows}
                columns={(to) =>
                  head.map((name, at) =>
                    to[isAmount(at) ? "amounts" : "column"](name, (row) => <bdi>{toCell(row[at])}</bdi>),
                  )
                }
              />
            </>
          );
        })}
      </>
    )),
  ],
});
