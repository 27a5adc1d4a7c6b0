/**
 * What a trial knows. Judged are the emulator's journal and what the receiver took; redriver's own word counts for two things: which doubles
 * it declared, and what it parked.
 */
import type { Redis } from "ioredis";
import type { JournalEntry } from "../../../src/emulator/index.ts";
import type { RedisConnection } from "../../../src/redis/connect.ts";
import { createDeclarations } from "../../rig/declarations.ts";
import { createJudge, type Judge } from "../../rig/judge.ts";
import { readArchivedIds } from "../../rig/archived-ids.ts";
import { createAuditReading } from "../../rig/audit-reading.ts";
import { keyPrefix } from "../../rig/stack.ts";
import { createSecrets } from "../../rig/secrets.ts";
import { createLogWatch, type LogWatch } from "../../rig/daemon-log.ts";
import { dedupWindowMs } from "./document.ts";
import type { TrialLetter } from "./letters.ts";

export interface Books {
  readonly judge: Judge;
  readonly log: LogWatch;
  /** Unix ms at which a dead letter was accepted first, or deleted; in their order. */
  readonly moves: readonly number[];
  /** When each was parked first, by dlqId, Unix ms. */
  readonly parkedAt: ReadonlyMap<string, number>;
  born(letters: readonly TrialLetter[]): void;
  read(entry: JournalEntry): void;
  line(daemon: number, text: string, from: "stdout" | "stderr"): void;
  /** What has to be settled yet: accepted and deleted, or parked. */
  left(): Left;
  /** The last word, once no daemon runs. */
  conclude(world: { readonly redis: Redis; readonly archiveDir: string }): Promise<void>;
}

export interface Left {
  readonly toPublish: number;
  readonly toPark: number;
}

export function createBooks(): Books {
  const judge = createJudge({ dedupWindowMs, now: Date.now });
  const declarations = createDeclarations(Date.now);
  const log = createLogWatch(judge, declarations, createSecrets());
  const moves: number[] = [];
  const parkedAt = new Map<string, number>();
  /** A double is no progress, and a delete of what is gone is none. */
  const isMove = (entry: JournalEntry): boolean =>
    (entry.type === "accepted" && judge.published.get(entry.messageId)?.acceptances.length === 1) ||
    (entry.type === "deleted" && entry.dlqIds.length > 0);
  return {
    judge,
    log,
    moves,
    parkedAt,
    born(letters) {
      for (const letter of letters) judge.born(letter, Date.now());
    },
    read(entry) {
      judge.read(entry);
      if (isMove(entry)) moves.push(entry.at);
    },
    line(daemon, text, from) {
      log.line(daemon, text, from);
      if (!text.includes('"act":"park"')) return;
      for (const { dlqId } of (JSON.parse(text) as ParkLine).records) {
        if (!parkedAt.has(dlqId)) parkedAt.set(dlqId, Date.now());
      }
    },
    left() {
      const all = [...judge.letters.values()];
      return {
        toPublish: all.filter(({ letter, deleted }) => letter.fate === "republish" && deleted === null)
          .length,
        toPark: all.filter(({ letter }) => letter.fate === "stay" && !parkedAt.has(letter.dlqId)).length,
      };
    },
    async conclude({ redis, archiveDir }) {
      await createAuditReading(declarations)(toConnection(redis));
      judge.explainDoubles({ ...declarationsOf(declarations), losses: [] }, Number.POSITIVE_INFINITY);
      const { dropped } = readArchivedIds(archiveDir);
      for (const { letter } of judge.takeUnproven()) {
        if (dropped.has(letter.dlqId)) continue;
        judge.broken(
          "deleted-unproven",
          `${letter.dlqId} (${letter.root}) was neither accepted nor archived`,
        );
      }
    },
  };
}

interface ParkLine {
  readonly records: readonly { readonly dlqId: string }[];
}

const declarationsOf = ({ of, story }: ReturnType<typeof createDeclarations>) => ({
  declarations: of,
  story,
});

/** As much of one as reading the audit takes. */
function toConnection(redis: Redis): RedisConnection {
  const command: RedisConnection["command"] = (name, ...args) => redis.call(name, ...args);
  return { keyPrefix, command } as RedisConnection;
}
