import type { Command } from "commander";
import { systemClock } from "../../../system-world.ts";
import { toMarkdown } from "../../operations/report/markdown.ts";
import { readReport } from "../../operations/report/read.ts";
import type { Register } from "../command-context.ts";
import { currentUser } from "../input/current-user.ts";
import { timeOption } from "../input/option-values.ts";
import { loadForReading } from "../load-config.ts";
import { printResult } from "../output/print.ts";
import { withRedisAndStop } from "../with-redis-and-stop.ts";

/** Of its own process: some hundred MB. */
const most = 1_000_000;
type Flags = Readonly<{ since?: number; until?: number; host?: string; json?: boolean }>;

export const registerReport: Register = (program, context) => {
  const { io } = context;
  program
    .command("report")
    .description("what an outage came to, as Markdown for a post mortem")
    .addOption(timeOption("--since <time>", "from its hour on: 2d, a date, a time with a zone", "from"))
    .addOption(timeOption("--until <time>", "to the end of its hour; default: now", "to"))
    .option("--host <host>", "only for this destination host; * stands for any part")
    .option("--json", "print one JSON object")
    .action(({ since, until, host, json }: Flags, command: Command) =>
      withRedisAndStop(loadForReading(command, io), context, currentUser(), async (core) => {
        const report = await readReport(core, { from: since, to: until, host }, systemClock.now(), most);
        printResult(io, json, report, () => toMarkdown(report));
      }),
    );
};
