export { startEmulator, type Emulator } from "./emulator.ts";
export type { Credentials, EmulatorOptions } from "./options.ts";
export { faultKinds, type FaultDefinition, type FaultKind } from "./faults/fault-schema.ts";
export { happeningTypes, operations } from "./journal.ts";
export type { Counts, EntryOf, HappeningType, JournalEntry } from "./journal.ts";
export type { SeedRecord } from "./dlq/seeded-record.ts";
export type { GenerateOptions } from "./fill/generate-options.ts";
export { LoadProblem } from "./fill/load-file.ts";
export { EmulatorRefusal } from "./refusal.ts";
