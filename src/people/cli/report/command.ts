import { toMarkdown } from "../../operations/report/markdown.ts";
import { readReport, reportReading } from "../../operations/report/read.ts";
import type { Register } from "../io.ts";
import { printResult } from "../output/print.ts";
import { addReading } from "../operation-command.ts";

/** Of its own process: some hundred MB. */
const most = 1_000_000;

export const registerReport: Register = (program, context) => {
  addReading(program, reportReading, context, async ({ core, input, now }, { json }) => {
    const report = await readReport(core, input, now, most);
    printResult(context.io, json, report, () => toMarkdown(report));
  }).option("--json", "print one JSON object");
};
