import { requireRedis } from "../../compose/open-core.ts";
import { systemClock } from "../../compose/system-world.ts";
import { readNextRuns } from "../../queue/apply-schedules.ts";
import { toBullmqConnection } from "../../redis/connect.ts";
import type { Register } from "../command-context.ts";
import { loadForReading } from "../load-config.ts";
import { printResult } from "../output/print.ts";
import { withCore } from "../with-core.ts";
import { readStatus } from "./read.ts";
import { toStatusText } from "./text.ts";

export const registerStatus: Register = (program, { io }) => {
  program
    .command("status")
    .description("the state of each drain, source and replica, as Redis has it")
    .option("--json", "print as JSON")
    .action(async (options: { json?: boolean }, command) => {
      const loaded = loadForReading(command, io);
      const { settings, problems } = loaded;
      await withCore(io, loaded, {}, async (core, teardown) => {
        await requireRedis(core.redis);
        const connection = toBullmqConnection(settings.redis.target, "queue");
        teardown.add("queue connection", () => connection.disconnect());
        const nextRuns = await readNextRuns(connection, settings.redis.keyPrefix);
        const status = await readStatus(core, { nextRuns, problems, now: systemClock.now() });
        printResult(io, options.json, status, () => toStatusText(io.columns, status));
      });
    });
};
