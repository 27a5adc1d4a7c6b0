import { createReadIndex } from "../../compose/build-index-readings.ts";
import { systemClock } from "../../compose/system-world.ts";
import { readSecret } from "../../config/read-secret.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { Register } from "../command-context.ts";
import { printResult } from "../output/print.ts";
import { loadAll } from "../load-config.ts";
import { formatStatistics, type StatisticsView, toStatisticsJson } from "./text.ts";

export const registerIndex: Register = (program, { io }) => {
  program
    .command("index")
    .description("search indexes")
    .command("stats")
    .description("read the statistics of the configured indexes now")
    .argument("[names...]", "indexes of the document; default: all")
    .option("--json", "print as JSON")
    .action(async (names: string[], options: { json?: boolean }, command) => {
      const { settings, document } = loadAll(command, io);
      const unknown = names.filter((name) => !document.indexes.some((index) => index.name === name));
      if (document.indexes.length === 0) {
        throw new RedriverError("command-misused", "the drains document has no indexes");
      }
      if (unknown.length > 0) {
        const known = document.indexes.map(({ name }) => name).join(", ");
        throw new RedriverError(
          "command-misused",
          `no such index: ${unknown.join(", ")}; the document has ${known}`,
        );
      }
      const read = createReadIndex(settings, (ref) => readSecret(ref, { env: io.env, settings }));
      const chosen = document.indexes.filter(({ name }) => names.length === 0 || names.includes(name));
      const signal = AbortSignal.timeout(settings.statistics.timeoutMs * chosen.length);
      const views: StatisticsView[] = [];
      for (const index of chosen) {
        views.push({ index, readAt: systemClock.now(), statistics: await read(index, signal) });
      }
      printResult(io, options.json, toStatisticsJson(views), () => formatStatistics(views));
    });
};
