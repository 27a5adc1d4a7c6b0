import { Agenda } from "./agenda.ts";
import { EmulatorClock } from "./clock.ts";
import { Deliveries } from "./delivery/deliveries.ts";
import { DeadLetters } from "./dlq/dead-letters.ts";
import { Faults } from "./faults/faults.ts";
import { Journal } from "./journal.ts";
import type { Settings } from "./options.ts";
import { Deduplication } from "./publish/deduplication.ts";
import { Directory } from "./publish/directory.ts";
import { Publisher } from "./publish/publisher.ts";
import { RateLimits } from "./rate-limits.ts";
import { Indexes } from "./statistics/indexes.ts";

/** Everything the emulator is, apart from its sockets. */
export interface World {
  readonly settings: Settings;
  readonly clock: EmulatorClock;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly directory: Directory;
  readonly deduplication: Deduplication;
  readonly deadLetters: DeadLetters;
  readonly deliveries: Deliveries;
  readonly publisher: Publisher;
  readonly rateLimits: RateLimits;
  readonly indexes: Indexes;
  /** The bearer token in force; it can be changed while the emulator runs. */
  token: string;
}

export function createWorld(settings: Settings): World {
  const clock = new EmulatorClock(settings.clock);
  const agenda = new Agenda(clock);
  const journal = new Journal(clock, settings.journalLimit);
  const deadLetters = new DeadLetters({ settings, clock, journal });
  const deliveries = new Deliveries({
    settings,
    clock,
    agenda,
    journal,
    bury: (failure) => deadLetters.bury(failure),
  });
  const directory = new Directory((queue) => deliveries.setParallelism(queue.name, queue.parallelism));
  const deduplication = new Deduplication(clock, settings.dedupWindowMs);
  const publisher = new Publisher({
    clock,
    journal,
    directory,
    deduplication,
    send: (message) => deliveries.send(message),
  });
  return {
    settings,
    clock,
    journal,
    faults: new Faults(settings.random, journal),
    directory,
    deduplication,
    deadLetters,
    deliveries,
    publisher,
    rateLimits: new RateLimits(settings.rateLimits, clock),
    indexes: new Indexes(settings.indexes),
    token: settings.token,
  };
}

/** Back to the start: nothing published, failed, remembered or misbehaving. Token and clock stay as they are. */
export async function resetWorld(world: World): Promise<void> {
  world.faults.clear();
  const ended = world.deliveries.reset();
  world.directory.clear();
  world.deduplication.clear();
  world.deadLetters.clear();
  world.rateLimits.clear();
  world.indexes.clear();
  world.journal.clear();
  await ended;
}
