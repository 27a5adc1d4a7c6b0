import type { EntryOf } from "../../emulator/index.ts";

/** The part of the emulator's journal that shows and judges the story of an outage. */
export const watchedTypes = ["accepted", "delivery", "dead-lettered", "deleted"] as const;
export type WatchedEntry = EntryOf<(typeof watchedTypes)[number]>;

/** One publish by redriver, and what became of it. Times are Unix ms of the emulator. */
export interface Try {
  readonly at: number;
  readonly outcome: "under way" | "delivered" | "came back";
  /** Of the last attempt; 0 for no answer, null before the first. */
  readonly status: number | null;
  /** When it was delivered or came back. */
  readonly endedAt: number | null;
}

/** A moment at which the number of a host's dead letters changed. */
interface Depth {
  readonly at: number;
  readonly deadLetters: number;
}

export interface HostFacts {
  /** In the order in which they were accepted. */
  readonly tries: readonly Try[];
  /** In order of time; it begins with the first change. */
  readonly depths: readonly Depth[];
}

type Accepted = { -readonly [Key in keyof Try]: Try[Key] };

/**
 * Replays the journal for one origin. The first publish of a body is the publisher's, every other one
 * redriver's: nothing that redriver says of its messages is needed to tell them apart.
 */
export function toFacts(entries: readonly WatchedEntry[], origin: string): HostFacts {
  const bodies = new Set<string>();
  const tries = new Map<string, Accepted>();
  const dead = new Set<string>();
  const depths: Depth[] = [];
  for (const entry of entries) {
    if (entry.type === "deleted") {
      const before = dead.size;
      for (const dlqId of entry.dlqIds) dead.delete(dlqId);
      if (dead.size !== before) depths.push({ at: entry.at, deadLetters: dead.size });
      continue;
    }
    if (!entry.url.startsWith(`${origin}/`)) continue;
    const tried = tries.get(entry.messageId);
    switch (entry.type) {
      case "accepted":
        if (bodies.has(entry.bodySha256)) {
          tries.set(entry.messageId, { at: entry.at, outcome: "under way", status: null, endedAt: null });
        }
        bodies.add(entry.bodySha256);
        break;
      case "delivery":
        if (tried === undefined) break;
        tried.status = entry.status;
        if (entry.outcome === "delivered") Object.assign(tried, { outcome: "delivered", endedAt: entry.at });
        break;
      case "dead-lettered":
        dead.add(entry.dlqId);
        depths.push({ at: entry.at, deadLetters: dead.size });
        if (tried !== undefined) Object.assign(tried, { outcome: "came back", endedAt: entry.at });
        break;
      default:
        entry satisfies never;
    }
  }
  return { tries: [...tries.values()], depths };
}
