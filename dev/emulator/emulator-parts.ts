import { EmulatorClock } from "./clock.ts";
import type { EmulatorContext } from "./context.ts";
import { BulkActions } from "./delivery/bulk-actions.ts";
import { Deliveries } from "./delivery/deliveries.ts";
import { DeadLetters } from "./dlq/dead-letters.ts";
import { Faults } from "./faults/faults.ts";
import { DlqFiller } from "./fill/dlq-filler.ts";
import { Journal } from "./journal.ts";
import { MessageLog } from "./logs/message-log.ts";
import { adjust, type EmulatorSettings } from "./options.ts";
import { Directory } from "./publish/groups-and-queues.ts";
import { Publisher } from "./publish/publisher.ts";
import { RateLimits } from "./rate-limits.ts";
import { Schedules } from "./schedules/schedules.ts";
import { SearchIndexes } from "./statistics/search-indexes.ts";

/** Everything the emulator is, apart from its sockets. */
export type EmulatorCore = ReturnType<typeof createEmulatorCore>;

export function createEmulatorCore(settings: EmulatorSettings) {
  const clock = new EmulatorClock(settings.clock);
  const journal = new Journal(clock, settings.journalLimit);
  const context = { settings, clock, journal };
  return {
    ...context,
    startedWith: { ...settings },
    /** The bearer token in force; it can be changed while the emulator runs. */
    token: settings.token,
    ...createParts(context),
  };
}

function createParts(context: EmulatorContext) {
  const { settings, clock, journal } = context;
  const deadLetters = new DeadLetters(context);
  const log = new MessageLog(context);
  const deliveries = new Deliveries(context, log, (failure) => deadLetters.bury(failure));
  const directory = new Directory(
    () => clock.now(),
    ({ name, parallelism, paused }) => {
      const changes = deliveries.setQueue(name, parallelism, paused);
      if (changes) journal.add({ type: paused ? "paused" : "resumed", queueName: name });
    },
  );
  const publisher = new Publisher(context, directory, (message) => deliveries.send(message));
  return {
    faults: new Faults(context),
    directory,
    deadLetters,
    log,
    filler: new DlqFiller(context, deadLetters),
    deliveries,
    bulkActions: new BulkActions(context, deliveries),
    publisher,
    schedules: new Schedules(context, directory, publisher),
    rateLimits: new RateLimits(context),
    indexes: new SearchIndexes(settings.indexes),
  };
}

/**
 * Back to the start: nothing published, failed, remembered or misbehaving, the settings and the seed as they
 * were. Token and clock stay as they are.
 */
export async function resetEmulatorCore(core: EmulatorCore): Promise<void> {
  adjust(core.settings, core.startedWith);
  const ended = endParts(core);
  Object.assign(core, createParts(core));
  core.journal.clear();
  await ended;
}

/** Ends timers, connections and what faults hold back. */
export async function endParts({ faults, filler, deliveries }: EmulatorCore): Promise<void> {
  faults.clear();
  filler.stop();
  await deliveries.end();
}
