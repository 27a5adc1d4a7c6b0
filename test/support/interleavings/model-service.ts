import type { DlqId, MessageId, RawRecord } from "../../../src/job/message/dead-letter.ts";
import type { BatchOutcome, ItemOutcome, ListPage, ListQuery } from "../../../src/job/contracts/service.ts";
import { limits } from "./limits.ts";
import type { Plan, PlannedLetter, Refusal } from "./plan.ts";
import type { Turns } from "./turns.ts";

/** How long a message is on its way until it dies again. */
const deathAfterMs = 30_000;
/** Of the first dead letters, before the run begins. */
const oldMs = 3_600_000;
/** Between two of them: so far apart that a listing of them can be split. */
const apartMs = 300_000;
/** The longest that a listing is behind its own deletes. */
const staleMs = 120_000;

export interface Acceptance {
  readonly deduplicationId: string;
  readonly at: number;
}

/** A dead letter of the model, and what truly became of it. */
export interface ModelLetter {
  readonly dlqId: DlqId;
  readonly planned: PlannedLetter;
  readonly record: RawRecord;
  /** Redrives that its lineage tells of; a probe, and the first canary besides, have spent none. */
  readonly attempt: number;
  /** The step that its parent was a canary of, as `<lane>.<step>`. */
  readonly canaryOf: string | null;
  /** Null: it is no come-back. */
  readonly parentDlqId: DlqId | null;
  readonly enteredAt: number;
  deletedAt: number | null;
  deletedByHand: boolean;
  /** A POST of it, or of the batch that held it, was refused. */
  refused: boolean;
  /** Distinct messages that the service took for it. */
  readonly accepted: Acceptance[];
}

/** The item of a POST, as far as the model reads it. */
export interface SentItem {
  readonly dlqId: DlqId;
  readonly deduplicationId: string;
  readonly attempt: number;
  /** `<lane>.<step>`; null: it is no canary. */
  readonly canaryOf: string | null;
  /** If it comes back as in an outage. */
  readonly isFree: boolean;
  readonly lineage: string;
}

export type ModelService = ReturnType<typeof createModelService>;

/**
 * The truth of one account: what is in its DLQ, which deduplication ids it remembers, which messages it took.
 */
export function createModelService(plan: Plan, { clock, background }: Turns) {
  const letters = new Map<DlqId, ModelLetter>();
  const registered = new Map<string, { readonly at: number; readonly messageId: MessageId }>();
  const toldRefused = new Map<string, Set<string>>();
  const canaries = new Map<string, Set<DlqId>>();
  const deathsLeft = new Map(plan.letters.map((planned) => [planned, planned.deaths]));
  let entered = 0;
  let messages = 0;
  let onTheirWay = 0;
  let hits = 0;

  const enter = (
    planned: PlannedLetter,
    enteredAt: number,
    from: Pick<SentItem, "dlqId" | "attempt" | "canaryOf" | "isFree" | "lineage"> | null,
  ): void => {
    const dlqId = `${enteredAt}-${(entered += 1)}` as DlqId;
    const record = {
      dlqId,
      messageId: `msg_dead${entered}`,
      url: "https://receiver.example.com/hook",
      createdAt: enteredAt - 60_000,
      responseStatus: planned.kind === "dropped" ? 410 : 503,
      body: "{}",
      ...(from === null ? {} : { header: { "X-Redriver": [from.lineage] } }),
    };
    const fate = { deletedAt: null, deletedByHand: false, refused: false, accepted: [] };
    const canaryOf = from?.canaryOf ?? null;
    const attempt = (from?.attempt ?? 0) - (from?.isFree === true ? 1 : 0);
    const said = { attempt, canaryOf, parentDlqId: from?.dlqId ?? null };
    letters.set(dlqId, { dlqId, planned, record, enteredAt, ...said, ...fate });
  };
  for (const planned of plan.letters) enter(planned, clock.now() - oldMs + entered * apartMs, null);

  const letterOf = (dlqId: DlqId): ModelLetter => {
    const letter = letters.get(dlqId);
    if (letter === undefined) throw new Error(`nobody knows ${dlqId}`);
    return letter;
  };
  const listedAt = (at: number): readonly ModelLetter[] =>
    [...letters.values()].filter(({ deletedAt }) => deletedAt === null || deletedAt > at);

  const accept = (item: SentItem): ItemOutcome => {
    const known = registered.get(item.deduplicationId);
    if (known !== undefined && clock.now() < known.at + limits.dedupWindowMs) {
      hits += 1;
      return { kind: "accepted", messageId: known.messageId, deduplicated: true };
    }
    const letter = letterOf(item.dlqId);
    const messageId = `msg_${(messages += 1)}` as MessageId;
    registered.set(item.deduplicationId, { at: clock.now(), messageId });
    letter.accepted.push({ deduplicationId: item.deduplicationId, at: clock.now() });
    const { canaryOf } = item;
    // One that is doubled, as was declared, is one.
    if (canaryOf !== null) canaries.set(canaryOf, (canaries.get(canaryOf) ?? new Set()).add(item.dlqId));
    const left = deathsLeft.get(letter.planned) ?? 0;
    if (left > 0) {
      deathsLeft.set(letter.planned, left - 1);
      onTheirWay += 1;
      background(async () => {
        await clock.sleep(deathAfterMs);
        onTheirWay -= 1;
        enter(letter.planned, clock.now(), item);
      });
    }
    return { kind: "accepted", messageId, deduplicated: false };
  };
  const refuse = ({ dlqId }: SentItem): void => {
    letterOf(dlqId).refused = true;
  };

  return {
    letters: letters as ReadonlyMap<DlqId, ModelLetter>,
    listed: () => listedAt(clock.now()),
    /** Messages that will die again. */
    onTheirWay: () => onTheirWay,
    /** Answers with `deduplicated`. */
    hits: () => hits,
    /** Messages that the service took for each step, by `<lane>.<step>`. */
    canaries: canaries as ReadonlyMap<string, ReadonlySet<DlqId>>,

    list(query: ListQuery, behindMs: number): ListPage {
      const { select, fromDate = 0, toDate = Number.POSITIVE_INFINITY, cursor, count } = query;
      const found = listedAt(clock.now() - Math.min(behindMs, staleMs)).filter(
        ({ enteredAt, record }) =>
          enteredAt >= fromDate &&
          enteredAt <= toDate &&
          (select.messageId === undefined || record["messageId"] === select.messageId),
      );
      const rest =
        cursor === undefined ? found : found.filter(({ dlqId }) => orderOf(dlqId) > Number(cursor));
      const page = rest.slice(0, Math.min(count, plan.pageSize));
      const last = page.at(-1);
      return {
        records: page.map(({ record }) => record),
        ...(last !== undefined && page.length < rest.length ? { cursor: String(orderOf(last.dlqId)) } : {}),
      };
    },

    /** A batch has arrived whole. */
    post(items: readonly SentItem[], refusal: Refusal | null): BatchOutcome {
      const isPoisoned = items.some(({ dlqId }) => letterOf(dlqId).planned.kind === "poison");
      const whole = refusal ?? (isPoisoned ? "invalid" : null);
      const error = String(whole);
      switch (whole) {
        case "limited":
          items.forEach(refuse);
          return { kind: "not-sent", why: "rate-limited", error, retryAt: clock.now() + 2_000 };
        case "unauthorised":
          items.forEach(refuse);
          return { kind: "misconfigured", status: 401, error };
        case "invalid":
          items.forEach(refuse);
          return { kind: "refused", status: 400, error, bisectBy: "count" };
        case "unavailable":
          return { kind: "in-doubt", error };
        case "one":
        case "odd":
        case null:
      }
      return {
        kind: "answered",
        items: items.map((item, index): ItemOutcome => {
          if (index > 0 || whole === null) return accept(item);
          if (whole === "odd") {
            accept(item);
            return { kind: "in-doubt", why: error };
          }
          refuse(item);
          return { kind: "refused", error };
        }),
      };
    },

    remove(dlqIds: readonly DlqId[]) {
      const there = dlqIds.map(letterOf).filter(({ deletedAt }) => deletedAt === null);
      for (const letter of there) letter.deletedAt = clock.now();
      return { deleted: there.length };
    },

    deleteByHand(index: number): void {
      const letter = [...letters.values()][index];
      if (letter === undefined || letter.deletedAt !== null) return;
      letter.deletedAt = clock.now();
      letter.deletedByHand = true;
    },

    /** A worker has read that these were refused. */
    refusalTold(worker: string, items: readonly SentItem[]): void {
      if (!plan.remembersRefused) return;
      for (const { dlqId, deduplicationId } of items) {
        const key = `${worker} ${dlqId}`;
        toldRefused.set(key, (toldRefused.get(key) ?? new Set()).add(deduplicationId));
      }
    },

    /**
     * And has told the ledger how that POST of these ended. Where refused items register their ids, those count
     * from now on: a hit on an id whose refusal nobody could write down cannot be told from a hit on an
     * acceptance, by anybody.
     */
    endNoted(worker: string, dlqIds: readonly DlqId[]): void {
      for (const dlqId of dlqIds) {
        const key = `${worker} ${dlqId}`;
        for (const id of toldRefused.get(key) ?? []) {
          if (registered.has(id)) continue;
          registered.set(id, { at: clock.now(), messageId: `msg_refused_${id}` as MessageId });
        }
        toldRefused.delete(key);
      }
    },
  };
}

function orderOf(dlqId: DlqId): number {
  return Number(dlqId.slice(dlqId.indexOf("-") + 1));
}

/** Reads an item by itself: the model shares no parser with what it watches. */
export function readItem(json: string): SentItem {
  const { headers } = JSON.parse(json) as { readonly headers: Readonly<Record<string, string>> };
  const deduplicationId = headers["Upstash-Deduplication-Id"] ?? "";
  const lineage = headers["Upstash-Forward-X-Redriver"] ?? "";
  const dlqId = /^redriver-(\d+-\d+)(?:-\d+)?$/.exec(deduplicationId)?.[1];
  if (dlqId === undefined) throw new Error(`not our deduplication id: ${deduplicationId}`);
  const payload = Buffer.from(lineage.split(".")[1] ?? "", "base64url").toString();
  const { a, s, k, h, g } = JSON.parse(payload) as LineageFields;
  const canaryOf = k === 1 ? (s ?? null) : null;
  const isFree = canaryOf !== null && (h === 1 || g !== 1);
  return { dlqId: dlqId as DlqId, deduplicationId, attempt: a, canaryOf, isFree, lineage };
}

interface LineageFields {
  readonly a: number;
  readonly s?: string;
  readonly k?: 1;
  readonly h?: 1;
  readonly g?: 1;
}
