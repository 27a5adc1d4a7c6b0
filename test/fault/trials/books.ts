/**
 * What a trial knows. Judged are the emulator's journal and what the receiver took; redriver's own word
 * counts for two things: which doubles it declared, and what it parked.
 */
import type { Redis } from "ioredis";
import type { JournalEntry } from "../../../dev/emulator/index.ts";
import type { RedisConnection } from "../../../src/job/redis/connect.ts";
import { readArchivedIds } from "../../rig/archived-ids.ts";
import { createBooks } from "../../rig/books.ts";
import { keyPrefix } from "../../rig/stack.ts";
import { dedupWindowMs, isRepublished, sourceId } from "./document.ts";

export type TrialBooks = ReturnType<typeof createTrialBooks>;

/** `rootOf`: of what is published for the trial, by the hash of its body. */
export function createTrialBooks(rootOf: ReadonlyMap<string, string>) {
  const { judge, log, ...books } = createBooks({ dedupWindowMs, isRepublished, sourceId });
  const moves: number[] = [];
  const parkedAt = new Map<string, number>();
  let hasBegun = false;
  const shas = new Map<string, string>();
  const prepare = (entry: JournalEntry): void => {
    if (entry.type === "accepted") shas.set(entry.messageId, entry.bodySha256);
    const bodySha256 = entry.type === "dead-lettered" ? shas.get(entry.messageId) : undefined;
    if (entry.type !== "dead-lettered" || bodySha256 === undefined) return;
    const { dlqId, at } = entry;
    judge.born({ dlqId, root: rootOf.get(bodySha256) ?? dlqId, fate: "republish", bodySha256 }, at);
  };
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
    /** Until then what is accepted was published for the trial, and dies: its dead letters are those to judge. */
    begin: () => void (hasBegun = true),
    read(entry: JournalEntry): void {
      if (!hasBegun) return prepare(entry);
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
    async conclude({
      redis,
      archiveDir,
    }: {
      readonly redis: Redis;
      readonly archiveDir: string;
    }): Promise<void> {
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
function toConnection(redis: Redis): RedisConnection {
  const command: RedisConnection["command"] = (name, ...args) => redis.call(name, ...args);
  return { keyPrefix, command } as RedisConnection;
}
