/**
 * What a trial knows. Judged are the emulator's journal and what the receiver took; redriver's own word
 * counts for two things: which doubles it declared, and what it parked.
 */
import type { JournalEntry } from "../../../dev/emulator/index.ts";
import type { RedisConnection } from "../../../src/job/redis/connect.ts";
import { readArchivedIds } from "../../rig/archived-ids.ts";
import { createBooks } from "../../rig/books.ts";
import { keyPrefix, type Stack } from "../../rig/stack.ts";
import { dedupWindowMs, isRepublished, sourceId } from "./document.ts";

export type TrialBooks = ReturnType<typeof createTrialBooks>;

export function createTrialBooks() {
  const { judge, log, ...books } = createBooks({ dedupWindowMs, isRepublished, sourceId });
  const moves: number[] = [];
  const parkedAt = new Map<string, number>();
  /** A double is no progress, and a delete of what is gone is none. */
  const isMove = (entry: JournalEntry): boolean =>
    (entry.type === "accepted" && judge.published.get(entry.messageId)?.acceptances.length === 1) ||
    (entry.type === "deleted" && entry.dlqIds.length > 0);
  return {
    judge,
    log,
    /** Unix ms at which a dead letter was accepted first, or deleted; in their order. */
    moves: moves as readonly number[],
    /** When each was parked first, by dlqId, Unix ms. */
    parkedAt: parkedAt as ReadonlyMap<string, number>,
    read(entry: JournalEntry): void {
      judge.read(entry);
      if (isMove(entry)) moves.push(entry.at);
    },
    line(daemon: number, text: string, from: "stdout" | "stderr"): void {
      log.line(daemon, text, from);
      if (!text.includes('"act":"park"')) return;
      for (const { dlqId } of (JSON.parse(text) as ParkLine).records) {
        if (!parkedAt.has(dlqId)) parkedAt.set(dlqId, Date.now());
      }
    },
    /** What has to be settled yet: accepted and deleted, in any order, or parked. */
    left() {
      const all = [...judge.letters.values()];
      return {
        toPublish: all.filter((one) => one.letter.fate !== "stay" && one.deleted === null).length,
        toPark: all.filter(({ letter }) => letter.fate === "stay" && !parkedAt.has(letter.dlqId)).length,
      };
    },
    /** The last word, once no daemon runs. */
    async conclude({ redis, archiveDir }: Pick<Stack, "redis" | "archiveDir">): Promise<void> {
      await books.readAudit(toConnection(redis));
      books.explainDoubles(Number.POSITIVE_INFINITY);
      books.proveDeletions(() => readArchivedIds(archiveDir));
    },
  };
}

interface ParkLine {
  readonly records: readonly { readonly dlqId: string }[];
}

/** As much of one as reading the audit takes. */
function toConnection(redis: Stack["redis"]): RedisConnection {
  const command: RedisConnection["command"] = (name, ...args) => redis.call(name, ...args);
  return { keyPrefix, command } as RedisConnection;
}
