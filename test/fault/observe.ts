import { createArchiveReader } from "../../src/job/archive/archive-reader.ts";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import type { ArchiveDamage } from "../../src/job/contracts/archive.ts";
import type { AuditAct } from "../../src/job/contracts/audit.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import type { Booked } from "../rig/judge.ts";
import type { Ending, SourceName } from "./scenario.ts";
import { keyOf, sourceNames, type Stand } from "./stand.ts";

/** A dead letter, seeded or come back, and what is known of it besides the judge's own account. */
export interface KnownLetter extends Pick<Booked, "acceptances" | "deleted"> {
  readonly key: string;
  readonly source: SourceName;
  readonly dlqId: string;
  readonly ending: Ending;
  /** Unix ms from which on it could be settled. */
  readonly since: number;
  /** It is in the DLQ still. */
  readonly isListed: boolean;
  readonly state: LedgerView["state"];
  /**
   * It is open past its horizon, and a POST of it was refused: a hit proves nothing then, only the end of the
   * window does.
   */
  readonly isUnprovable: boolean;
}

/** What the world outside the daemon has seen so far. */
export interface Observation {
  readonly letters: readonly KnownLetter[];
  /** dlqIds by what the archive keeps them as. */
  readonly archived: Readonly<Record<"dropped" | "near-expiry", ReadonlySet<string>>>;
  readonly damage: readonly ArchiveDamage[];
  /** Deliveries that the receiver saw, by key. */
  readonly deliveries: ReadonlyMap<string, number>;
  isAudited(source: SourceName, act: AuditAct, dlqId: string): boolean;
}

/** The audit is read after the journal: whatever was accepted by then is in it. */
export async function observe(stand: Stand): Promise<Observation> {
  readJournals(stand);
  const archive = await readArchive(stand);
  for (const name of sourceNames) {
    await stand.books[name].readAudit(stand.core.redis);
    stand.books[name].proveDeletions(() => ({
      dropped: archive.archived.dropped,
      copied: archive.archived["near-expiry"],
    }));
    stand.books[name].explainDoubles(Number.POSITIVE_INFINITY);
  }
  const deliveries = new Map<string, number>();
  for (const { body } of stand.receiver.deliveries) {
    const key = keyOf(body) ?? "unknown";
    deliveries.set(key, (deliveries.get(key) ?? 0) + 1);
  }
  return {
    ...archive,
    deliveries,
    letters: await knownLetters(stand),
    isAudited: (source, act, dlqId) => stand.books[source].declarations.has(act, dlqId),
  };
}

export function readJournals({ books, emulators }: Stand): void {
  for (const name of sourceNames) books[name].readJournal(emulators[name].journal);
}

/** By the journal as far as it was read, and by the ledger as it is now. */
export async function knownLetters(stand: Stand): Promise<readonly KnownLetter[]> {
  const endings = new Map(stand.letters.map(({ key, ending }) => [key, ending]));
  const known: KnownLetter[] = [];
  for (const { runtime } of stand.core.sources.values()) {
    const source = runtime.config.id as string as SourceName;
    const { dlq } = stand.emulators[source];
    const booked = [...stand.books[source].judge.letters.values()];
    const { views } = await runtime.ledger.peek(booked.map(({ letter }) => letter.dlqId as DlqId));
    for (const [index, { letter, bornAt, acceptances, deleted }] of booked.entries()) {
      const view = views[index];
      known.push({
        key: letter.root,
        source,
        dlqId: letter.dlqId,
        ending: endings.get(letter.root)!,
        since: bornAt,
        acceptances,
        deleted,
        isListed: dlq.find(letter.dlqId) !== undefined,
        state: view?.state ?? "absent",
        isUnprovable: view?.state === "open" && view.pastHorizon && view.series.refusals > 0,
      });
    }
  }
  return known;
}

async function readArchive({ archiveDir }: Stand): Promise<Pick<Observation, "archived" | "damage">> {
  const archived = {
    dropped: new Set<string>(),
    discarded: new Set<string>(),
    "near-expiry": new Set<string>(),
  };
  const damage: ArchiveDamage[] = [];
  const entries = createArchiveReader(archiveDir).entries({}, (one) => damage.push(one));
  for await (const { dlqId, why } of entries) archived[why].add(dlqId);
  return { archived, damage };
}
