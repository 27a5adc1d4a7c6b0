export { startEmulator, type Emulator } from "./emulator.ts";
export type { Credentials, EmulatorOptions, RateLimit, SigningKeys } from "./options.ts";
export type { FaultDefinition, FaultKind, FaultState } from "./faults/fault.ts";
export type { Counts, EntryOf, Happening, HappeningType, JournalEntry, Operation } from "./journal.ts";
export type { DeadLetter } from "./dlq/dead-letter.ts";
export type { SeedRecord } from "./dlq/seed.ts";
export type { Endpoint } from "./publish/directory.ts";
