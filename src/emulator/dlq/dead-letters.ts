import type { EmulatorClock } from "../clock.ts";
import type { FinalFailure } from "../delivery/deliveries.ts";
import type { Journal } from "../journal.ts";
import type { Settings } from "../options.ts";
import { toDeadLetter, type DeadLetter } from "./dead-letter.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { DlqStore, type Found } from "./dlq-store.ts";
import { Leaving } from "./leaving.ts";
import { formatCursor, formatDlqId, formatOffsetCursor, parseSeedId } from "./position.ts";
import { toSeed, type SeedRecord } from "./seed.ts";
import { withheldOf, type Withheld } from "./withheld.ts";

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
  readonly #withheld = new Map<string, Withheld>();
  readonly #leaving = new Leaving();

  constructor(parts: { settings: Settings; clock: EmulatorClock; journal: Journal }) {
    this.#settings = parts.settings;
    this.#clock = parts.clock;
    this.#journal = parts.journal;
    this.#store = new DlqStore(parts.settings);
  }

  get size(): number {
    this.#expire();
    return this.#store.size - this.#leaving.size;
  }

  /** Keeps a finally failed message; returns its dlqId. */
  bury(failure: FinalFailure): string {
    const position = this.#store.nextPosition(this.#clock.now());
    const dlqId = formatDlqId(position);
    const record = toDeadLetter(failure, this.#settings);
    this.#store.append(position, { dlqId, ...record });
    const withheld = withheldOf(failure.message, this.#settings);
    if (withheld !== undefined) this.#withheld.set(dlqId, withheld);
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
    return { records: found, cursor: more ? this.#cursorBehind(query, found) : undefined };
  }

  /**
   * Without ids and without filters this deletes anything, up to `count`, as the service does. What it deletes is
   * listed for another `lagMs`.
   */
  delete(query: DlqQuery, lagMs = 0): DeleteResult {
    this.#expire();
    if (query.dlqIds !== undefined) {
      return { deleted: this.remove(query.dlqIds, lagMs).length, cursor: undefined };
    }
    const page = this.list(query);
    const dlqIds = this.#remove(
      page.records.map((found) => formatDlqId(found)),
      lagMs,
    );
    this.#journal.add({ type: "deleted", dlqIds, by: "filters" });
    return { deleted: dlqIds.length, cursor: page.cursor };
  }

  /** Deletes by id; returns the ids that were there. */
  remove(dlqIds: readonly string[], lagMs = 0): string[] {
    this.#expire();
    const removed = this.#remove(dlqIds, lagMs);
    this.#journal.add({ type: "deleted", dlqIds: removed, by: "ids" });
    return removed;
  }

  /** The record leaves because its message was sent once more. */
  leave(dlqId: string): void {
    this.#journal.add({ type: "deleted", dlqIds: this.#remove([dlqId]), by: "retry" });
  }

  find(dlqId: string): DeadLetter | undefined {
    this.#expire();
    if (this.#leaving.has(dlqId)) return undefined;
    const found = this.#store.find(dlqId);
    return found && (JSON.parse(found.json.toString("utf8")) as DeadLetter);
  }

  /** What the record does not show of its message; a record put there directly has nothing of the kind. */
  withheld(dlqId: string): Withheld | undefined {
    return this.#withheld.get(dlqId);
  }

  /** Puts records there without any message having failed; returns their dlqIds, in the order given. */
  seed(records: readonly SeedRecord[]): string[] {
    const now = this.#clock.now();
    const placed = records.map((record) => {
      const given = typeof record.dlqId === "string" ? parseSeedId(record.dlqId) : undefined;
      const position = given ?? this.#store.nextPosition(now);
      return { ...position, record: toSeed(record, formatDlqId(position), now) };
    });
    this.#store.insert(placed);
    if (this.#leaving.size > 0) this.#leaving.forget(placed.map((at) => formatDlqId(at)));
    this.#journal.add({ type: "seeded", records: placed.length });
    // A record may stand where another stood.
    if (this.#withheld.size > 0) for (const at of placed) this.#withheld.delete(formatDlqId(at));
    return placed.map((position) => formatDlqId(position));
  }

  /** Puts a record there as if its message had failed at `ms`, beside all that are there. */
  enter(ms: number, make: (dlqId: string) => DeadLetter): void {
    const position = this.#store.freePosition(ms);
    this.#store.append(position, make(formatDlqId(position)));
  }

  clear(): void {
    this.#store.clear();
    this.#withheld.clear();
    this.#leaving.clear();
  }

  #cursorBehind({ after, skip }: DlqQuery, found: readonly Found[]): string | undefined {
    const isOffset = skip !== undefined || (after === undefined && this.#settings.cursorBy === "offset");
    if (isOffset) return formatOffsetCursor((skip ?? 0) + found.length);
    const last = found.at(-1);
    return last && formatCursor(last);
  }

  #remove(dlqIds: readonly string[], lagMs = 0): string[] {
    for (const dlqId of dlqIds) this.#withheld.delete(dlqId);
    const staying = dlqIds.filter((dlqId) => !this.#leaving.has(dlqId));
    if (lagMs === 0) return this.#store.remove(staying);
    const left = [...new Set(staying)].filter((dlqId) => this.#store.find(dlqId) !== undefined);
    this.#leaving.add(left, this.#clock.now() + lagMs);
    return left;
  }

  #expire(): void {
    const now = this.#clock.now();
    if (this.#leaving.size > 0) {
      const gone = this.#leaving.dueAt(now);
      this.#store.remove(gone);
      this.#leaving.forget(gone);
    }
    const expired = this.#store.removeBefore(now - this.#settings.retentionMs);
    for (const dlqId of expired) this.#withheld.delete(dlqId);
    const dlqIds = this.#leaving.size === 0 ? expired : expired.filter((dlqId) => !this.#leaving.has(dlqId));
    this.#leaving.forget(expired);
    if (dlqIds.length > 0) this.#journal.add({ type: "deleted", dlqIds, by: "retention" });
  }
}
