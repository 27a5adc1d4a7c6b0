import { openCore, requireRedis } from "../../compose/open-core.ts";
import { systemClock } from "../../compose/system-world.ts";
import { createTeardown } from "../../compose/teardown.ts";
import { readNextRuns } from "../../queue/read-next-runs.ts";
import { toBullmqConnection } from "../../redis/connect.ts";
import type { Register } from "../command-context.ts";
import { loadForReading } from "../load.ts";
import { readStatus } from "./read.ts";
import { silent } from "../silent.ts";
import { toStatusText } from "./text.ts";

const closeWithinMs = 2_000;

export const registerStatus: Register = (program, { io }) => {
  program
    .command("status")
    .description("what each drain, source and replica is at, as Redis knows it")
    .option("--json", "print as JSON")
    .action(async (options: { json?: boolean }, command) => {
      const { settings, document, problems } = loadForReading(command, io);
      const teardown = createTeardown();
      try {
        const core = openCore({ settings, document, env: io.env, events: silent, teardown });
        await requireRedis(core.redis);
        const connection = toBullmqConnection(settings.redis, "queue");
        teardown.add("queue connection", () => connection.disconnect());
        const nextRuns = await readNextRuns(connection, settings.redis.keyPrefix);
        const status = await readStatus(core, { nextRuns, problems, now: systemClock.now() });
        io.out(
          options.json === true ? `${JSON.stringify(status, null, 2)}\n` : toStatusText(io.columns, status),
        );
      } finally {
        await teardown.run(closeWithinMs);
      }
    });
};
