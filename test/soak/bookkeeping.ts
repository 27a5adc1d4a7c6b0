import type { EntryOf, HappeningType, JournalEntry } from "../../src/emulator/index.ts";
import { createDeclarations, longestPipeMs } from "../rig/declarations.ts";
import { times } from "./document.ts";
import { createJudge, type Judge, type Loss } from "../rig/judge.ts";
import type { MadeLetter } from "./letters.ts";
import { createLogWatch, type LogWatch } from "../rig/daemon-log.ts";
import { createProgress, type Progress } from "./progress.ts";
import { stallLimitMs, type Obstacles } from "./waits.ts";
import { createAuditReading } from "../rig/audit-reading.ts";
import { readArchivedIds } from "../rig/archived-ids.ts";
import { createSecrets } from "../rig/secrets.ts";
import type { Stand } from "./stand.ts";

/** All that is known of a soak, and who may say so. */
export interface Bookkeeping {
  readonly judge: Judge;
  readonly progress: Progress;
  readonly log: LogWatch;
  /** How often each kind of the emulator's faults has fired. */
  readonly fired: ReadonlyMap<string, number>;
  readonly counts: { deduplicated: number; dropped: number; expired: number; scrapes: number };
  born(letters: readonly MadeLetter[]): void;
  arriveWith(faultName: string, letters: readonly MadeLetter[]): void;
  losing(from: number): Promise<void>;
  /** Reads and judges what has happened since the last time. */
  look(obstacles: Obstacles): Promise<void>;
  /** The last word, once nothing happens any more. */
  conclude(): Promise<void>;
}

const readTypes = ["accepted", "deduplicated", "dead-lettered", "deleted", "lost", "fault"] as const;

export function createBookkeeping(stand: () => Stand): Bookkeeping {
  const judge = createJudge({ dedupWindowMs: times.dedupWindow, now: Date.now });
  const declarations = createDeclarations(Date.now);
  const progress = createProgress(judge, Date.now);
  const readAudit = createAuditReading(declarations);
  const arriving = new Map<string, readonly MadeLetter[]>();
  const losses: Loss[] = [];
  const fired = new Map<string, number>();
  const counts = { deduplicated: 0, dropped: 0, expired: 0, scrapes: 0 };
  const expired: { readonly dlqId: string; readonly bornAt: number; readonly at: number }[] = [];
  const none = createSecrets();
  const log = createLogWatch(judge, declarations, {
    ...none,
    find: (text) => stand().secrets.find(text),
  });
  let after = 0;

  const born = (letters: readonly MadeLetter[]): void => {
    for (const letter of letters) judge.born(letter, Date.now());
    stand().emulator.dlq.seed(letters.map(({ record }) => record));
  };

  function read(entry: JournalEntry): void {
    if (entry.type === "deduplicated") counts.deduplicated += 1;
    if (entry.type === "fault") {
      fired.set(entry.kind, (fired.get(entry.kind) ?? 0) + 1);
      for (const letter of arriving.get(entry.name) ?? []) judge.born(letter, entry.at);
    }
    if (entry.type === "deleted" && entry.by === "retention") {
      for (const dlqId of entry.dlqIds) {
        const booked = judge.letters.get(dlqId);
        if (booked !== undefined && booked.acceptances.length === 0) {
          expired.push({ dlqId, bornAt: booked.bornAt, at: entry.at });
        }
      }
    }
    judge.read(entry);
  }

  /** What the journal has that was not read yet, in its order. */
  function readJournal(): void {
    const { journal } = stand().emulator;
    const entries: JournalEntry[] = readTypes
      .flatMap((type: HappeningType): EntryOf<HappeningType>[] => journal.entries(type, after))
      .toSorted((one, other) => one.seq - other.seq);
    after = entries.at(-1)?.seq ?? after;
    for (const entry of entries) read(entry);
  }

  function proveByArchive(): void {
    const unproven = judge.takeUnproven();
    const vanished = expired.splice(0);
    if (unproven.length === 0 && vanished.length === 0) return;
    const archived = readArchivedIds(stand().archiveDir);
    for (const { letter } of unproven) {
      if (!archived.dropped.has(letter.dlqId)) {
        judge.broken(
          "deleted-unproven",
          `${letter.dlqId} (${letter.root}) was neither accepted nor archived`,
        );
      } else if (letter.fate !== "drop") {
        judge.broken(
          "against-the-rules",
          `${letter.dlqId} (${letter.root}) had to ${letter.fate}, was dropped`,
        );
      } else {
        counts.dropped += 1;
      }
    }
    for (const { dlqId, bornAt, at } of vanished) {
      counts.expired += 1;
      // What lived only while things were broken may never have been seen.
      if (archived.copied.has(dlqId) || progress.quiet.within(bornAt, at) < stallLimitMs) continue;
      judge.broken("expired", `${dlqId} vanished by its age, and the archive has no copy`);
    }
  }

  async function scrape(): Promise<void> {
    const { daemons, secrets } = stand();
    for (const [index, daemon] of daemons.entries()) {
      for (const page of ["metrics", "readyz", "livez"]) {
        const address = daemon.address();
        if (address === null) continue;
        const text = await fetch(`http://${address}/${page}`, { signal: AbortSignal.timeout(1_000) })
          .then((answer) => answer.text())
          .catch(() => "");
        if (text !== "") counts.scrapes += 1;
        for (const name of secrets.find(text)) {
          judge.broken("leaked", `${name} is on /${page} of daemon ${index}`);
        }
      }
    }
  }

  const explain = (until: number): void =>
    judge.explainDoubles({ declarations: declarations.of, story: declarations.story, losses }, until);

  let looks = 0;
  return {
    judge,
    progress,
    log,
    fired,
    counts,
    born,
    arriveWith: (name, letters) => void arriving.set(name, letters),
    async losing(from) {
      await readAudit(stand().redis.primary().connection).catch(() => undefined);
      losses.push({ from, to: Date.now() });
    },
    async look(obstacles) {
      looks += 1;
      readJournal();
      proveByArchive();
      const { connection } = stand().redis.primary();
      // While Redis is away nothing of it can be read; the next look reads it.
      await readAudit(connection).catch(() => undefined);
      readJournal();
      // What was declared may still be on its way when the journal has the acceptance.
      explain(Date.now() - longestPipeMs);
      if (looks % 10 === 0) await scrape();
      await progress.look(obstacles, connection).catch(() => undefined);
    },
    async conclude() {
      const { emulator, witness, redis, secrets } = stand();
      // Being asked, the emulator first lets go what has reached its age.
      const { size } = emulator.dlq;
      readJournal();
      proveByArchive();
      await readAudit(redis.primary().connection).catch(() => undefined);
      explain(Number.POSITIVE_INFINITY);

      const inQueue = [...judge.letters.values()].filter(({ deleted }) => deleted === null);
      for (const { letter, acceptances } of inQueue) {
        if (emulator.dlq.find(letter.dlqId) === undefined && acceptances.length === 0) {
          judge.broken("lost", `${letter.dlqId} (${letter.root}) is nowhere`);
        }
      }
      if (size !== inQueue.length) {
        judge.broken("emulator", `${size} in the queue, by the journal ${inQueue.length}`);
      }
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
