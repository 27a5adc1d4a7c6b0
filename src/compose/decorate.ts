import type { Archive } from "../ports/archive.ts";
import type { ArchiveConfig } from "../ports/drains.ts";
import type { SourceRuntime } from "../redrive/runtime.ts";

/** For who watches or disturbs a process at its ports: what is built passes through these before anything uses it. */
export interface Decorate {
  readonly source?: (built: SourceRuntime) => SourceRuntime;
  readonly archive?: (built: Archive, config: ArchiveConfig) => Archive;
}
