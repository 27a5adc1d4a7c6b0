import { toMarkdown } from "../../operations/report/markdown.ts";
import { readReport, reportReading } from "../../operations/report/read.ts";
import type { Register } from "../io.ts";
import { printResult } from "../output/print.ts";
import { addReading } from "../operation-command.ts";

export const registerReport: Register = (program, context) => {
  addReading(program, reportReading, context, async (call, { json }) => {
    const report = await readReport(call, 1_000_000);
    printResult(context.io, json, report, () => toMarkdown(report));
  }).option("--json", "print one JSON object");
};
