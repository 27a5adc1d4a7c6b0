import type { Core } from "../compose/build-core.ts";
import type { SourceId } from "../contracts/ids.ts";
import type { JobContext } from "../contracts/work-queue.ts";
import type { SourceRuntime } from "../runtime.ts";

/** What the daemon runs for people beside the job: it starts, asks and ends them, and knows no more of them. */
export interface PeopleBeside {
  readonly console: ConsoleServer;
  readonly notices: NoticeJobs;
  /** Plans that are made or applied here end by `softMs`, at the latest by `hardMs`. */
  closePlans(deadlines: { readonly softMs: number; readonly hardMs: number }): Promise<void>;
}

export interface ActsBeside {
  /** Called after each page that a person's plan has worked. */
  readonly afterPage: (core: Core, source: SourceRuntime) => void;
  /** Times of lanes that a plan has learned and taken, Unix ms: passes may wait for them too. */
  readonly onLaneTimes: (source: SourceId, times: readonly number[]) => void;
}

export interface ConsoleServer {
  /** `host:port`; null: it does not listen. */
  address(): string | null;
  listen(): Promise<void>;
  adopted(): void;
  close(): Promise<void>;
}

export interface NoticeJobs {
  /** Answers the targets that something waits for. */
  evaluate(core: Core): Promise<readonly string[]>;
  writeDigest(core: Core, target: string): Promise<readonly string[]>;
  /** A target that this document does not have is left to replicas that have it. */
  deliver(core: Core, target: string, context: JobContext): Promise<void>;
}
