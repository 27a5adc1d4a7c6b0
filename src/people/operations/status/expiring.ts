import type { HostPause, PauseRecord } from "../../../job/contracts/pauses.ts";
import type { Expiring, ExpiringGroup } from "../../../job/contracts/queue-facts.ts";
import type { DrainFacts } from "../../../job/contracts/passes.ts";
import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import { toFailureOfName } from "../../../job/message/destination-names.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { toCommandLine, toReasonWords } from "../command-line.ts";
import { isOfRecord } from "../parked/next-step.ts";

export const saveActs = ["release", "resume", "plan", "probe", "archive"] as const;

/** What keeps dead letters from being lost. `command`: null for a copy, which is made by itself. */
export interface Save {
  readonly act: (typeof saveActs)[number];
  readonly command: string | null;
}

/** What is known of the drain of a group; all that holds its destination and its kind. */
export interface HeldBy {
  readonly config: Pick<DrainConfig, "mode" | "beforeExpiry"> | undefined;
  readonly hasArchive: boolean;
  readonly paused: PauseRecord | { readonly by: "document" } | null;
  readonly lane: LaneStanding | null;
  readonly hostPause: HostPause | null;
  /** Of the source. */
  readonly hostPauses: readonly PauseRecord[];
  readonly reasons: DrainFacts["reasons"] | undefined;
}

/** Sums sources: null if one is not counted, as of the oldest count. Pure. */
export function sumExpiring<Group extends ExpiringGroup>(
  sources: readonly (Omit<Expiring, "groups"> & { readonly groups: readonly Group[] })[],
) {
  const counts = sources.map(({ count }) => count);
  const isCounted = counts.every((count) => count !== null);
  const times = sources.flatMap(({ asOf }) => asOf ?? []);
  return {
    count: isCounted ? counts.reduce((sum, count) => sum + count, 0) : null,
    atLeast: sources.reduce((sum, { atLeast }) => sum + atLeast, 0),
    by: Math.max(0, ...sources.map(({ by }) => by)),
    asOf: isCounted && times.length > 0 ? Math.min(...times) : null,
    groups: sources
      .flatMap(({ groups }) => groups)
      .toSorted((one, other) => one.earliestAt - other.earliestAt || other.count - one.count),
  };
}

/** Only what can be done, and what holds them last comes last. Pure. */
export function toSaves(group: ExpiringGroup, by: HeldBy): readonly Save[] {
  const { drain, failure, origin, waiting, parked } = group;
  const saves: Save[] = [];
  const add = (act: Save["act"], ...words: readonly string[]): void => {
    saves.push({ act, command: toCommandLine(...words) });
  };
  const { config, paused, hostPause, hostPauses, lane } = by;
  if (drain !== null && config !== undefined && failure !== null && origin !== null) {
    const reasons = Object.keys(by.reasons?.parked ?? {}) as readonly ParkReason[];
    if (parked > 0 && reasons.some((reason) => !isOfRecord(reason))) {
      add("release", "parked", "release", "--drain", drain, "--failure", failure, ...toReasonWords({}));
    }
    if (waiting > 0) {
      const kindPause = hostPauses.find(
        (one) => toFailureOfName(one.host ?? "") === failure && (one.drain === "*" || one.drain === drain),
      );
      if (paused !== null && "drain" in paused) {
        add("resume", "resume", paused.drain === "*" ? "--all" : paused.drain, ...toReasonWords({}));
      }
      if (hostPause !== null) {
        add("resume", "resume", ...ofDrain(hostPause), "--host", hostPause.host, ...toReasonWords({}));
      }
      if (kindPause !== undefined) {
        add("resume", "resume", ...ofDrain(kindPause), "--failure", failure, ...toReasonWords({}));
      }
      if (config.mode === "plan") add("plan", "plan", drain, "--failure", failure, "--keep");
      const mayGo =
        config.mode === "live" && paused === null && hostPause === null && kindPause === undefined;
      if (mayGo && lane?.state === "halted") {
        add("probe", "lanes", "probe", origin, "--drain", drain, ...toReasonWords({}));
      }
    }
  }
  const isCopied = by.hasArchive && (drain === null || config?.beforeExpiry.then === "archive");
  if (isCopied) saves.push({ act: "archive", command: null });
  return saves;
}

function ofDrain({ drain }: PauseRecord): readonly string[] {
  return drain === "*" ? [] : [drain];
}
