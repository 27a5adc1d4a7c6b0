/** What an outage came to, as Markdown to paste into a post mortem. */
import { toMarkdown } from "../../operations/report/markdown.ts";
import { maxLetters, readReport, type OutageReport } from "../../operations/report/read.ts";
import { Filters } from "../parts/filters.tsx";
import { defineScreen, still } from "../screen.ts";
import { spanFilters, spanOf } from "./history.tsx";

const path = "/report";

export const reportScreen = defineScreen<OutageReport>({
  path,
  area: "history",
  role: "viewer",
  title: () => "Outage report",
  load: ({ core, query, now }) => readReport(core, spanOf(query), now, maxLetters),
  sections: [
    still("report", (report, { query }) => (
      <>
        <Filters path={path} query={query} filters={spanFilters} />
        <pre>{toMarkdown(report)}</pre>
      </>
    )),
  ],
});
