import type { EmulatorClock } from "../clock.ts";
import type { FinalFailure } from "../delivery/deliveries.ts";
import type { Journal } from "../journal.ts";
import type { Settings } from "../options.ts";
import { toDeadLetter, type DeadLetter } from "./dead-letter.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { DlqStore, type Found } from "./dlq-store.ts";
import { formatCursor, formatDlqId, parseDlqId } from "./position.ts";
import { toSeed, type SeedRecord } from "./seed.ts";

export interface DeadLetterPage {
  readonly records: readonly Found[];
  readonly cursor: string | undefined;
}

export interface DeleteResult {
  readonly deleted: number;
  readonly cursor: string | undefined;
}

/** The dead letter queue: what enters, what is listed, what is deleted, what vanishes with age. */
export class DeadLetters {
  readonly #settings: Settings;
  readonly #clock: EmulatorClock;
  readonly #journal: Journal;
  readonly #store: DlqStore;

  constructor(parts: { settings: Settings; clock: EmulatorClock; journal: Journal }) {
    this.#settings = parts.settings;
    this.#clock = parts.clock;
    this.#journal = parts.journal;
    this.#store = new DlqStore(parts.settings);
  }

  get size(): number {
    this.#expire();
    return this.#store.size;
  }

  /** Keeps a finally failed message; returns its dlqId. */
  bury(failure: FinalFailure): string {
    const position = this.#store.nextPosition(this.#clock.now());
    const dlqId = formatDlqId(position);
    const record = toDeadLetter(failure, this.#settings);
    this.#store.append(position, { dlqId, ...record });
    const { messageId, url } = failure.message;
    this.#journal.add({
      type: "dead-lettered",
      messageId,
      dlqId,
      url,
      responseStatus: failure.attempt.status,
    });
    return dlqId;
  }

  list(query: DlqQuery): DeadLetterPage {
    this.#expire();
    const { found, more } = this.#store.page(query);
    const last = found.at(-1);
    return { records: found, cursor: more && last !== undefined ? formatCursor(last) : undefined };
  }

  /** Without ids and without filters this deletes anything, up to `count`, as the service does. */
  delete(query: DlqQuery): DeleteResult {
    this.#expire();
    if (query.dlqIds !== undefined) return { deleted: this.remove(query.dlqIds).length, cursor: undefined };
    const page = this.list(query);
    const dlqIds = this.#store.remove(page.records.map((found) => formatDlqId(found)));
    this.#journal.add({ type: "deleted", dlqIds, by: "filters" });
    return { deleted: dlqIds.length, cursor: page.cursor };
  }

  /** Deletes by id; returns the ids that were there. */
  remove(dlqIds: readonly string[]): string[] {
    const removed = this.#store.remove(dlqIds);
    this.#journal.add({ type: "deleted", dlqIds: removed, by: "ids" });
    return removed;
  }

  find(dlqId: string): DeadLetter | undefined {
    this.#expire();
    const found = this.#store.find(dlqId);
    return found && (JSON.parse(found.json.toString("utf8")) as DeadLetter);
  }

  /** Puts records there without any message having failed; returns their dlqIds, in the order given. */
  seed(records: readonly SeedRecord[]): string[] {
    const now = this.#clock.now();
    const placed = records.map((record) => {
      const given = typeof record.dlqId === "string" ? parseDlqId(record.dlqId) : undefined;
      const position = given ?? this.#store.nextPosition(now);
      return { ...position, record: toSeed(record, formatDlqId(position), now) };
    });
    this.#store.insert(placed);
    return placed.map((position) => formatDlqId(position));
  }

  clear(): void {
    this.#store.clear();
  }

  #expire(): void {
    const dlqIds = this.#store.removeBefore(this.#clock.now() - this.#settings.retentionMs);
    if (dlqIds.length > 0) this.#journal.add({ type: "deleted", dlqIds, by: "retention" });
  }
}
