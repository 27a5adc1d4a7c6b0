import type { JournalEntry } from "../../dev/emulator/index.ts";
import { readArchivedIds, type ArchivedIds } from "../rig/archived-ids.ts";
import { createBooks } from "../rig/books.ts";
import { longestPipeMs } from "../rig/declarations.ts";
import type { Judge } from "../rig/judge.ts";
import type { Secrets } from "../rig/secrets.ts";
import { isRepublished, sourceId, times } from "./document.ts";
import type { MadeLetter } from "./letters.ts";
import { createProgress } from "./progress.ts";
import type { Stand } from "./stand.ts";
import { stallLimitMs, type Obstacles } from "./waits.ts";

/** All that is known of a soak, and who may say so. */
export type Bookkeeping = ReturnType<typeof createBookkeeping>;

export function createBookkeeping(stand: () => Stand, secrets: Secrets) {
  const arriving = new Map<string, readonly MadeLetter[]>();
  const fired = new Map<string, number>();
  const counts = { deduplicated: 0, dropped: 0, expired: 0 };
  const expired: { readonly dlqId: string; readonly bornAt: number; readonly at: number }[] = [];
  const { dedupWindow: dedupWindowMs } = times;
  const books = createBooks({ dedupWindowMs, isRepublished, sourceId, secrets, onEntry });
  const { judge, log, losses } = books;
  const progress = createProgress(judge, Date.now);

  function onEntry(entry: JournalEntry, { born, letters }: Judge): void {
    if (entry.type === "deduplicated") counts.deduplicated += 1;
    if (entry.type === "fault") {
      fired.set(entry.kind, (fired.get(entry.kind) ?? 0) + 1);
      for (const letter of arriving.get(entry.name) ?? []) born(letter, entry.at);
    }
    if (entry.type === "deleted" && entry.by === "retention") {
      for (const dlqId of entry.dlqIds) {
        const booked = letters.get(dlqId);
        if (booked !== undefined && booked.acceptances.length === 0) {
          expired.push({ dlqId, bornAt: booked.bornAt, at: entry.at });
        }
      }
    }
  }

  function proveByArchive(): void {
    let archived: ArchivedIds | null = null;
    const read = (): ArchivedIds => (archived ??= readArchivedIds(stand().archiveDir));
    counts.dropped += books.proveDeletions(read);
    for (const { dlqId, bornAt, at } of expired.splice(0)) {
      counts.expired += 1;
      // What lived only while things were broken may never have been seen.
      if (read().copied.has(dlqId) || progress.quiet.within(bornAt, at) < stallLimitMs) continue;
      judge.broken("expired", `${dlqId} vanished by its age, and the archive has no copy`);
    }
  }

  async function scrape(): Promise<void> {
    const { daemons } = stand();
    for (const [index, daemon] of daemons.entries()) {
      for (const page of ["metrics", "readyz", "livez"]) {
        const address = daemon.address();
        if (address === null) continue;
        const text = await fetch(`http://${address}/${page}`, { signal: AbortSignal.timeout(1_000) })
          .then((answer) => answer.text())
          .catch(() => "");
        for (const name of secrets.find(text)) {
          judge.broken("leaked", `${name} is on /${page} of daemon ${index}`);
        }
      }
    }
  }

  let looks = 0;
  return {
    judge,
    progress,
    log,
    /** How often each kind of the emulator's faults has fired. */
    fired,
    counts,
    /** These are in the queue from now on. */
    born(letters: readonly MadeLetter[]): void {
      for (const letter of letters) judge.born(letter, Date.now());
      stand().emulator.dlq.seed(letters.map(({ record }) => record));
    },
    /** The same, when the emulator says that the fault of this name has fired. */
    arriveWith: (name: string, letters: readonly MadeLetter[]): void => void arriving.set(name, letters),
    /** What was acknowledged from `from` (Unix ms) until now is about to be lost. */
    async losing(from: number): Promise<void> {
      await books.readAudit(stand().redis.primary().connection).catch(() => undefined);
      losses.push({ from, to: Date.now() });
    },
    /** Daemons that gave up on the source because it refused everything. */
    gaveUp: (): readonly number[] =>
      [...log.halted].flatMap(([daemon, code]) => (code === "service-refuses-everything" ? [daemon] : [])),
    /** Reads and judges what has happened since the last time. */
    async look(obstacles: Obstacles): Promise<void> {
      const { emulator, redis } = stand();
      const { connection } = redis.primary();
      looks += 1;
      books.readJournal(emulator.journal);
      proveByArchive();
      // While Redis is away nothing of it can be read; the next look reads it.
      await books.readAudit(connection).catch(() => undefined);
      books.readJournal(emulator.journal);
      // What was declared may still be on its way when the journal has the acceptance.
      books.explainDoubles(Date.now() - longestPipeMs);
      if (looks % 10 === 0) await scrape();
      await progress.look(obstacles, connection).catch(() => undefined);
    },
    /** The last word, once nothing happens any more. */
    async conclude(): Promise<void> {
      const { emulator, witness, redis } = stand();
      // Being asked, the emulator first lets go what has reached its age.
      void emulator.dlq.size;
      books.readJournal(emulator.journal);
      proveByArchive();
      await books.readAudit(redis.primary().connection).catch(() => undefined);
      books.explainDoubles(Number.POSITIVE_INFINITY);
      books.judgeQueue(emulator.dlq);
      for (const [messageId, { letter }] of judge.published) {
        if (!judge.deadAgain.has(messageId) && witness.taken.get(messageId) !== letter.root) {
          judge.broken("lost", `${messageId} (${letter.root}) was accepted and never reached its receiver`);
        }
      }
      for (const file of redis.files()) {
        for (const name of await secrets.findInFile(file)) {
          judge.broken("leaked", `${name} was kept in Redis`);
        }
      }
    },
  };
}
