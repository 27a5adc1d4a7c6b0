import type { Command } from "commander";
import type { Core } from "../../job/door.ts";
import { createFanOut } from "../../telemetry/fan-out.ts";
import { createSecretsToRedact } from "./output/secrets-to-redact.ts";
import type { Teardown } from "../../teardown.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { Io } from "./io.ts";
import type { Loaded } from "./load-config.ts";
// Beside with-core.ts, because it loads pino, which commands that only read can do without.
import { createCommandEvents } from "./output/events-on-stderr.ts";
import { withCore } from "./with-core.ts";

/**
 * As `withCore`, for a command that publishes and deletes: events go to stderr without any secret, and guards
 * without a reading of their index take one.
 */
export function withActingCore<Result>(
  io: Io,
  command: Command,
  loaded: Loaded,
  { by, observers = [] }: { readonly by: string; readonly observers?: readonly Events[] },
  work: (core: Core, teardown: Teardown) => Promise<Result>,
): Promise<Result> {
  const secrets = createSecretsToRedact(loaded.settings);
  const { logLevel } = command.optsWithGlobals<{ readonly logLevel?: string }>();
  const log = { level: loaded.settings.log.level, isAsked: logLevel !== undefined, secrets: secrets.all };
  const options = {
    by,
    readsIndexes: true,
    onSecret: secrets.add,
    events: createFanOut([createCommandEvents(log, io), ...observers]),
    closeWithinMs: 5_000,
  };
  return withCore(io, loaded, options, (core, teardown) => {
    secrets.use(core);
    return work(core, teardown);
  });
}
