export { startEmulator, type Emulator } from "./emulator.ts";
export type {
  Adjustable,
  Adjustment,
  Credentials,
  EmulatorOptions,
  RateLimit,
  SigningKeys,
} from "./options.ts";
export { faultKinds } from "./faults/fault-schema.ts";
export { happeningTypes, operations } from "./journal.ts";
export type { FaultDefinition, FaultKind, FaultState } from "./faults/fault-schema.ts";
export type { Counts, EntryOf, Happening, HappeningType, JournalEntry, Operation } from "./journal.ts";
export type { StoredDeadLetter } from "./dlq/stored-dead-letter.ts";
export type { SeedRecord } from "./dlq/seed-record.ts";
export type { GenerateOptions } from "./fill/generate-options.ts";
export { LoadProblem } from "./fill/load-file.ts";
export { EmulatorRefusal } from "./refusal.ts";
export type { Endpoint } from "./publish/directory.ts";
