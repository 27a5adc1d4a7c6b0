import type { EmulatorContext } from "../context.ts";
import type { FinalFailure } from "../delivery/deliveries.ts";
import type { Message } from "../publish/message.ts";
import { toDeadLetter, type StoredDeadLetter } from "./stored-dead-letter.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { DlqStore, recordIn, type StoredRecord } from "./dlq-store.ts";
import {
  formatCursor,
  formatDlqId,
  formatOffsetCursor,
  parseSeedId,
  type Position,
} from "./dlq-ids-and-cursors.ts";
import { parseText, toSeed, type SeedRecord } from "./seeded-record.ts";

export class DeadLetters {
  readonly #context: EmulatorContext;
  readonly #store: DlqStore;
  /** The messages that a record does not show all of. */
  readonly #sources = new Map<string, Message>();
  /** Bodies that seeded records show redacted. */
  readonly #bodies = new Map<string, string>();
  /** Records that are deleted and still listed, as a listing shows them that lags behind: until when. */
  readonly #listedUntil = new Map<string, number>();

  constructor(context: EmulatorContext) {
    this.#context = context;
    this.#store = new DlqStore(context.settings);
  }

  get size(): number {
    this.#expire();
    return this.#store.size - this.#listedUntil.size;
  }

  /** Keeps a finally failed message; returns its dlqId. */
  bury(failure: FinalFailure): string {
    const position = this.#store.nextPosition(this.#context.clock.now());
    const dlqId = formatDlqId(position);
    const record = toDeadLetter(failure, this.#context.settings);
    this.#store.append(position, { dlqId, ...record });
    const { messageId, url, topicId, settings } = failure.message;
    const hides = (settings.redaction ?? settings.timeoutMs ?? topicId) !== undefined;
    if (hides || this.#context.settings.recordHeaders === "sent") this.#sources.set(dlqId, failure.message);
    this.#context.journal.add({
      type: "dead-lettered",
      messageId,
      dlqId,
      url,
      responseStatus: failure.attempt.status,
    });
    return dlqId;
  }

  list(query: DlqQuery) {
    this.#expire();
    const { records, more } = this.#store.page(query);
    return { records, cursor: more ? this.#cursorBehind(query, records) : undefined };
  }

  /**
   * Without ids and without filters this deletes anything, up to `count`, as the service does. What it
   * deletes is listed for another `lagMs`.
   */
  delete(query: DlqQuery, lagMs = 0) {
    this.#expire();
    if (query.dlqIds !== undefined) {
      return { deleted: this.remove(query.dlqIds, lagMs).length, cursor: undefined };
    }
    const page = this.list(query);
    const dlqIds = this.#remove(
      page.records.map((found) => formatDlqId(found)),
      lagMs,
    );
    this.#context.journal.add({ type: "deleted", dlqIds, by: "filters" });
    return { deleted: dlqIds.length, cursor: page.cursor };
  }

  /** Deletes by id; returns the ids that were there. */
  remove(dlqIds: readonly string[], lagMs = 0): string[] {
    this.#expire();
    const removed = this.#remove(dlqIds, lagMs);
    this.#context.journal.add({ type: "deleted", dlqIds: removed, by: "ids" });
    return removed;
  }

  /** The record leaves because its message was sent once more. */
  leave(dlqId: string): void {
    this.#context.journal.add({ type: "deleted", dlqIds: this.#remove([dlqId]), by: "retry" });
  }

  find(dlqId: string): StoredDeadLetter | undefined {
    this.#expire();
    if (this.#listedUntil.has(dlqId)) return undefined;
    const found = this.#store.find(dlqId);
    return found && recordIn(found);
  }

  /** The message of a record that does not show all of it; a record put there directly has none. */
  sourceOf(dlqId: string): Message | undefined {
    return this.#sources.get(dlqId);
  }

  /** With the body that a seeded record shows redacted. */
  unredacted(dlqId: string, record: StoredDeadLetter): StoredDeadLetter {
    const body = this.#bodies.get(dlqId);
    return body === undefined ? record : { ...record, body };
  }

  /** Puts records there without any message having failed; returns their dlqIds, in the order given. */
  seed(records: readonly SeedRecord[]): string[] {
    const now = this.#context.clock.now();
    const dlqIds = this.#seeded(
      records.map((record) => {
        const position = this.#positionFor(record.dlqId);
        this.#store.append(position, toSeed(record, formatDlqId(position), now));
        return position;
      }),
    );
    for (const [index, { redactedBody }] of records.entries()) {
      if (redactedBody !== undefined) this.#bodies.set(dlqIds[index]!, redactedBody);
    }
    return dlqIds;
  }

  /** The same with records whose JSON is listed as given. Each text is that of an object. */
  seedTexts(texts: readonly string[]): string[] {
    return this.#seeded(
      texts.map((text) => {
        const record = parseText(text) ?? {};
        const position = this.#positionFor(record["dlqId"]);
        this.#store.append(position, record, text);
        return position;
      }),
    );
  }

  #positionFor(dlqId: unknown): Position {
    const given = typeof dlqId === "string" ? parseSeedId(dlqId) : undefined;
    return given ?? this.#store.nextPosition(this.#context.clock.now());
  }

  #seeded(positions: readonly Position[]): string[] {
    const dlqIds = positions.map((position) => formatDlqId(position));
    this.#context.journal.add({ type: "seeded", records: dlqIds.length });
    // A record may stand where another stood.
    this.#forget(dlqIds);
    return dlqIds;
  }

  /** Puts a record there as if its message had failed at `ms`, beside all that are there. */
  enter(ms: number, make: (dlqId: string) => StoredDeadLetter): void {
    const position = this.#store.freePosition(ms);
    this.#store.append(position, make(formatDlqId(position)));
  }

  #cursorBehind({ after, skip }: DlqQuery, records: readonly StoredRecord[]): string | undefined {
    const isOffset =
      skip !== undefined || (after === undefined && this.#context.settings.cursorBy === "offset");
    if (isOffset) return formatOffsetCursor((skip ?? 0) + records.length);
    const last = records.at(-1);
    return last && formatCursor(last);
  }

  #remove(dlqIds: readonly string[], lagMs = 0): string[] {
    const present = dlqIds.filter((dlqId) => !this.#listedUntil.has(dlqId));
    if (lagMs === 0) {
      this.#forget(present);
      return this.#store.remove(present);
    }
    const removed = [...new Set(present)].filter((dlqId) => this.#store.find(dlqId) !== undefined);
    for (const dlqId of removed) this.#listedUntil.set(dlqId, this.#context.clock.now() + lagMs);
    return removed;
  }

  #expire(): void {
    const now = this.#context.clock.now();
    const unlisted = [...this.#listedUntil].flatMap(([dlqId, until]) => (until <= now ? [dlqId] : []));
    this.#store.remove(unlisted);
    this.#forget(unlisted);
    const expired = this.#store.removeBefore(now - this.#context.settings.retentionMs);
    const dlqIds = expired.filter((dlqId) => !this.#listedUntil.has(dlqId));
    this.#forget(expired);
    if (dlqIds.length > 0) this.#context.journal.add({ type: "deleted", dlqIds, by: "retention" });
  }

  #forget(dlqIds: readonly string[]): void {
    for (const dlqId of dlqIds) {
      this.#sources.delete(dlqId);
      this.#bodies.delete(dlqId);
      this.#listedUntil.delete(dlqId);
    }
  }
}
