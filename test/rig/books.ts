/** The judge with all its evidence: the emulator's journal, the audit in log and Redis, and the archive. */
import type { Emulator, EntryOf, HappeningType, JournalEntry } from "../../dev/emulator/index.ts";
import type { ArchivedIds } from "./archived-ids.ts";
import { createDaemonLog } from "./daemon-log.ts";
import { createAuditReading, createDeclarations } from "./declarations.ts";
import { createJudge, type Judge, type JudgeOptions, type Loss } from "./judge.ts";
import { createSecrets, type Secrets } from "./secrets.ts";

export type Books = ReturnType<typeof createBooks>;

export interface BooksOptions extends Omit<JudgeOptions, "now"> {
  readonly sourceId: string;
  readonly secrets?: Secrets;
  /** Called with each entry of the journal before the judge reads it. */
  readonly onEntry?: (entry: JournalEntry, judge: Judge) => void;
}

const readTypes = [
  "accepted",
  "deduplicated",
  "dead-lettered",
  "deleted",
  "retried",
  "lost",
  "fault",
] as const;

export function createBooks(options: BooksOptions) {
  const judge = createJudge({ ...options, now: Date.now });
  const declarations = createDeclarations(Date.now);
  const losses: Loss[] = [];
  let after = 0;
  return {
    judge,
    declarations,
    /** What Redis has lost, added by whoever made it lose that. */
    losses,
    log: createDaemonLog(judge, declarations, options.secrets ?? createSecrets()),
    /** The same of the audit in Redis. Rejects while Redis is away. */
    readAudit: createAuditReading(declarations, options.sourceId),
    /** Reads what the journal has that was not read yet, in its order. */
    readJournal(journal: Emulator["journal"]): void {
      const entries: JournalEntry[] = readTypes
        .flatMap((type: HappeningType): EntryOf<HappeningType>[] => journal.entries(type, after))
        .toSorted((one, other) => one.seq - other.seq);
      after = entries.at(-1)?.seq ?? after;
      for (const entry of entries) {
        options.onEntry?.(entry, judge);
        judge.read(entry);
      }
    },
    /** Explains the extra acceptances until then, Unix ms. */
    explainDoubles(until: number): void {
      judge.explainDoubles({ declarations: declarations.of, story: declarations.story, losses }, until);
    },
    /** What was deleted without an acceptance has to be in the archive, as a drop. Answers how many were. */
    proveDeletions(readArchive: () => ArchivedIds): number {
      const unproven = judge.takeUnproven();
      if (unproven.length === 0) return 0;
      const { dropped } = readArchive();
      let drops = 0;
      for (const { letter } of unproven) {
        const { dlqId, root, fate } = letter;
        if (!dropped.has(dlqId)) {
          judge.broken("deleted-unproven", `${dlqId} (${root}) was neither accepted nor archived`);
        } else if (fate === "drop") {
          drops += 1;
        } else {
          judge.broken("against-the-rules", `${dlqId} (${root}) had to ${fate}, was dropped`);
        }
      }
      return drops;
    },
    /** Once nothing happens any more: what the journal leaves in the DLQ has to be there, and nothing else. */
    judgeQueue(dlq: Emulator["dlq"]): void {
      const inQueue = [...judge.letters.values()].filter(({ deleted }) => deleted === null);
      for (const { letter, acceptances } of inQueue) {
        if (dlq.find(letter.dlqId) === undefined && acceptances.length === 0) {
          judge.broken("lost", `${letter.dlqId} (${letter.root}) is nowhere`);
        }
      }
      if (dlq.size !== inQueue.length) {
        judge.broken("emulator", `${dlq.size} in the queue, by the journal ${inQueue.length}`);
      }
    },
  };
}
