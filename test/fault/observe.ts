import { createArchiveReader } from "../../src/archive/create-archive-reader.ts";
import { openAuditReader } from "../../src/compose/build-audit.ts";
import type { EntryOf } from "../../src/emulator/index.ts";
import type { DlqId } from "../../src/message/dead-letter.ts";
import type { ArchiveDamage } from "../../src/ports/archive.ts";
import type { AuditAct } from "../../src/ports/audit.ts";
import type { LedgerView } from "../../src/ports/ledger-entries.ts";
import type { Fate, SourceName } from "./scenario.ts";
import { keyOf, type Stand } from "./stand.ts";

/** A dead letter as the judge knows it: seeded, or one that came back and is a dead letter of its own. */
export interface KnownLetter {
  readonly key: string;
  readonly source: SourceName;
  readonly dlqId: string;
  readonly fate: Fate;
  /** Unix ms from which on it could be settled. */
  readonly since: number;
}

export interface Acceptance {
  readonly source: SourceName;
  readonly seq: number;
  readonly dlqId: string | null;
  readonly messageId: string;
}

export interface Deletion {
  readonly source: SourceName;
  readonly seq: number;
  readonly at: number;
  readonly dlqId: string;
}

/** What the world outside the daemon has seen so far. */
export interface Observation {
  readonly letters: readonly KnownLetter[];
  readonly accepted: readonly Acceptance[];
  readonly deleted: readonly Deletion[];
  /** dlqIds by what the archive keeps them as. */
  readonly archived: Readonly<Record<"dropped" | "near-expiry", ReadonlySet<string>>>;
  readonly damage: readonly ArchiveDamage[];
  /** dlqIds by act. */
  readonly audited: ReadonlyMap<AuditAct, ReadonlySet<string>>;
  /** Names of declared doubles that the audit gives a dead letter. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
  /** Deliveries that the receiver saw, by key. */
  readonly deliveries: ReadonlyMap<string, number>;
  /** dlqIds that are still listed. */
  readonly inQueue: ReadonlySet<string>;
  /** What the ledger says of each dlqId. */
  readonly ledger: ReadonlyMap<string, LedgerView["state"]>;
  /** dlqIds that are open past their horizon, with a POST of theirs refused: a hit proves nothing then, only the end of the window does. */
  readonly unprovable: ReadonlySet<string>;
}

const declaredDoubles: ReadonlySet<string> = new Set(["unknown-outcome-past-window", "released-past-window"]);

export async function observe(stand: Stand): Promise<Observation> {
  const accepted = acceptances(stand);
  const deleted = sourceNames(stand).flatMap((source) =>
    entriesOf(stand, source, "deleted").flatMap(({ seq, at, dlqIds }) =>
      dlqIds.map((dlqId): Deletion => ({ source, seq, at, dlqId })),
    ),
  );
  const letters = knownLetters(stand, accepted);
  const deliveries = new Map<string, number>();
  for (const { body } of stand.receiver.deliveries) {
    const key = keyOf(body) ?? "unknown";
    deliveries.set(key, (deliveries.get(key) ?? 0) + 1);
  }
  return {
    letters,
    accepted,
    deleted,
    deliveries,
    ...(await readArchive(stand)),
    ...(await readAudit(stand)),
    ...(await readLedger(stand, letters)),
    inQueue: new Set(
      letters.filter((one) => stand.emulators[one.source].dlq.find(one.dlqId)).map(({ dlqId }) => dlqId),
    ),
  };
}

/** Of what is in doubt just now; see Observation. */
export async function readUnprovable(stand: Stand): Promise<ReadonlySet<string>> {
  return (await readLedger(stand, knownLetters(stand, acceptances(stand)))).unprovable;
}

function acceptances(stand: Stand): readonly Acceptance[] {
  return sourceNames(stand).flatMap((source) =>
    entriesOf(stand, source, "accepted").map(({ seq, deduplicationId, messageId }): Acceptance => ({
      source,
      seq,
      messageId,
      dlqId: toDlqId(deduplicationId),
    })),
  );
}

/** What was seeded, and what came back. */
function knownLetters(stand: Stand, accepted: readonly Acceptance[]): readonly KnownLetter[] {
  const letters: KnownLetter[] = stand.letters.map((letter) => ({ ...letter, since: 0 }));
  for (const source of sourceNames(stand)) {
    for (const { messageId, dlqId, at } of entriesOf(stand, source, "dead-lettered")) {
      const from = accepted.find((one) => one.messageId === messageId)?.dlqId;
      const parent = letters.find((letter) => letter.dlqId === from);
      if (parent !== undefined) letters.push({ ...parent, dlqId, since: at });
    }
  }
  return letters;
}

function sourceNames({ emulators }: Stand): readonly SourceName[] {
  return Object.keys(emulators) as SourceName[];
}

function entriesOf<Type extends "accepted" | "deleted" | "dead-lettered">(
  { emulators }: Stand,
  source: SourceName,
  type: Type,
): readonly EntryOf<Type>[] {
  return emulators[source].journal.entries(type);
}

/** The dead letter of a deduplication id of ours, whatever its suffix; null for any other. */
function toDlqId(deduplicationId: string | undefined): string | null {
  const [, dlqId] = /^redriver-(\d+-\d+)(?:-\d+)?$/.exec(deduplicationId ?? "") ?? [];
  return dlqId ?? null;
}

async function readLedger(
  { core }: Stand,
  letters: readonly KnownLetter[],
): Promise<Pick<Observation, "ledger" | "unprovable">> {
  const ledger = new Map<string, LedgerView["state"]>();
  const unprovable = new Set<string>();
  for (const { runtime } of core.sources.values()) {
    const ids = letters
      .filter(({ source }) => source === runtime.config.id)
      .map(({ dlqId }) => dlqId as DlqId);
    const { views } = await runtime.ledger.peek(ids);
    for (const [index, dlqId] of ids.entries()) {
      const view = views[index];
      ledger.set(dlqId, view?.state ?? "absent");
      if (view?.state === "open" && view.pastHorizon && view.series.refusals > 0) unprovable.add(dlqId);
    }
  }
  return { ledger, unprovable };
}

async function readArchive({ archiveDir }: Stand): Promise<Pick<Observation, "archived" | "damage">> {
  const archived = { dropped: new Set<string>(), "near-expiry": new Set<string>() };
  const damage: ArchiveDamage[] = [];
  const entries = createArchiveReader(archiveDir).entries({}, (one) => damage.push(one));
  for await (const { dlqId, why } of entries) archived[why].add(dlqId);
  return { archived, damage };
}

async function readAudit({ core }: Stand): Promise<Pick<Observation, "audited" | "declared">> {
  const audited = new Map<AuditAct, Set<string>>();
  const declared = new Map<string, Set<string>>();
  for await (const { act, records } of openAuditReader(core).read({ order: "oldest-first" })) {
    const ids = audited.get(act) ?? new Set();
    audited.set(act, ids);
    for (const { dlqId, notes = [] } of records) {
      ids.add(dlqId);
      const doubles = notes.filter((note) => declaredDoubles.has(note));
      if (doubles.length > 0)
        declared.set(dlqId, new Set([...(declared.get(dlqId) ?? new Set<string>()), ...doubles]));
    }
  }
  return { audited, declared };
}
