/**
 * Follows every dead letter by the emulator's journal alone, and records what must not be. redriver's own
 * word counts in one place: an extra acceptance has to be declared by it.
 *
 *   in the queue ─┬─ accepted, then deleted by id
 *                 ├─ dropped: in the archive, then deleted by id
 *                 ├─ vanished by its age
 *                 └─ still there
 */
import type { EntryOf, JournalEntry } from "../../dev/emulator/index.ts";
import { lossReason, type Declaration } from "./declarations.ts";
import type { Letter } from "./letters.ts";

/** What must never be. */
export const rules = {
  lost: "no dead letter is lost: each is in the queue, accepted, in the archive, or past its age",
  doubled: "none is accepted more than once but where the audit declared it before",
  "deleted-unproven": "none is deleted before its acceptance or its place in the archive",
  "filter-delete": "nothing is deleted but by exact ids",
  "foreign-id": "everything is published under redriver's own id of a known dead letter",
  altered: "bodies arrive as they were",
  "against-the-rules":
    "what is to be dropped, parked or held is not published, and what is to stay is not deleted",
  expired: "what vanished by its age was in the archive before",
  crashed: "no daemon ends that was not made to",
  "unexpected-error": "no daemon meets an error that it has no code for",
  leaked: "no token, body or header value is in a log line, in Redis or on the metrics page",
  stalled:
    "while nothing is broken nothing waits longer than the takeover and a sweep, but for what is excused by name",
  emulator: "the judge and the emulator agree on what is in the queue",
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  readonly text: string;
  /** Unix ms. */
  readonly at: number;
}

/** One acceptance more than one. */
export interface Double {
  readonly dlqId: string;
  /** The word by which the audit declared it. */
  readonly why: string;
  readonly apartMs: number;
}

export interface Acceptance {
  readonly seq: number;
  readonly at: number;
  readonly suffix: number;
  readonly messageId: string;
}

export interface Booked {
  readonly letter: Letter;
  readonly bornAt: number;
  readonly acceptances: Acceptance[];
  /** Null: it is in the queue. */
  deleted: { readonly seq: number; readonly at: number; readonly by: "ids" | "retention" | "retry" } | null;
  explained: number;
}

/** Redis lost what it had acknowledged from `from` to `to`, Unix ms. */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

/** What redriver and the soak know besides the journal. */
export interface Evidence {
  /** Where redriver said that a publish of this dead letter may be a double. */
  declarations(dlqId: string): readonly Declaration[];
  /** All that the audit says of it, for people. */
  story(dlqId: string): string;
  readonly losses: readonly Loss[];
}

export type Judge = ReturnType<typeof createJudge>;

export interface JudgeOptions {
  /** W. */
  readonly dedupWindowMs: number;
  /** Whether the rules republish a come-back of this one with this status; 0: no HTTP answer. */
  readonly isRepublished: (responseStatus: number, of: Letter) => boolean;
  /** Unix ms. */
  readonly now: () => number;
}

export function createJudge({ dedupWindowMs, isRepublished, now }: JudgeOptions) {
  const letters = new Map<string, Booked>();
  const published = new Map<string, Booked>();
  const deadAgain = new Set<string>();
  const violations: Violation[] = [];
  const doubles: Double[] = [];
  const doubled = new Set<Booked>();
  /** Accepted without an id of ours, by message: the service's own retry tells of its dead letter right after. */
  const unnamed = new Map<string, EntryOf<"accepted">>();
  let unproven: Booked[] = [];

  const broken = (rule: Rule, text: string): void => {
    violations.push({ rule, text, at: now() });
  };

  function born(letter: Letter, at: number): void {
    if (letters.has(letter.dlqId)) return;
    letters.set(letter.dlqId, { letter, bornAt: at, acceptances: [], deleted: null, explained: 1 });
  }

  function accepted(entry: EntryOf<"accepted">, read = readDeduplicationId(entry.deduplicationId)): void {
    const { deduplicationId, messageId, bodySha256, seq, at, url } = entry;
    if (read === null && deduplicationId === undefined) return void unnamed.set(messageId, entry);
    const booked = read === null ? undefined : letters.get(read.dlqId);
    if (read === null || booked === undefined) {
      return broken("foreign-id", `${messageId} for ${url} was accepted under the id ${deduplicationId}`);
    }
    const { letter, acceptances } = booked;
    published.set(messageId, booked);
    acceptances.push({ seq, at, suffix: read.suffix, messageId });
    if (acceptances.length > 1) doubled.add(booked);
    if (letter.fate !== "republish") {
      broken(
        "against-the-rules",
        `${letter.dlqId} (${letter.root}) had to ${letter.fate} and was republished`,
      );
    }
    if (bodySha256 !== letter.bodySha256) {
      broken("altered", `${letter.dlqId} (${letter.root}) was republished with another body`);
    }
  }

  /** Each is a series of its own, so no note of redriver declares a double of it. */
  function retried({ dlqId, newMessageId }: EntryOf<"retried">): void {
    const entry = unnamed.get(newMessageId);
    if (entry === undefined) return broken("emulator", `${dlqId} was retried as ${newMessageId}, unaccepted`);
    unnamed.delete(newMessageId);
    accepted(entry, { dlqId, suffix: 1 });
  }

  function deadLettered({ messageId, dlqId, responseStatus, at }: EntryOf<"dead-lettered">): void {
    const parent = published.get(messageId);
    if (parent === undefined) return broken("emulator", `${messageId} died and was never accepted`);
    deadAgain.add(messageId);
    const fate = isRepublished(responseStatus, parent.letter) ? "republish" : "stay";
    born({ ...parent.letter, dlqId, fate }, at);
  }

  function deleted({ dlqIds, by, seq, at }: EntryOf<"deleted">): void {
    if (by === "filters") return broken("filter-delete", `a delete by ${by}`);
    for (const dlqId of dlqIds) {
      const booked = letters.get(dlqId);
      if (booked === undefined) {
        broken("emulator", `${dlqId} was deleted and is not known`);
        continue;
      }
      booked.deleted = { seq, at, by };
      if (by === "ids" && booked.acceptances.length === 0) unproven.push(booked);
    }
  }

  /**
   * Whether what Redis lost could have told of the acceptances before this one, and the window of their id
   * has passed: then nothing could keep it from being accepted again. What was lost has to hold the intent of
   * one of them: a ledger that only lost the fact has it in doubt, and the next series of what is in doubt
   * has a note of its own.
   */
  function isForgotten({ acceptances, explained }: Booked, losses: readonly Loss[]): boolean {
    const one = acceptances[explained];
    if (one === undefined) return false;
    const before = acceptances.slice(0, explained);
    const same = before.findLast(({ suffix }) => suffix === one.suffix);
    if (same !== undefined && one.at - same.at < dedupWindowMs) return false;
    return losses.some(
      ({ from, to }) => to <= one.at && before.some(({ at }) => at >= from && at - longestIntentMs <= to),
    );
  }

  /**
   * The declared case of an extra acceptance, null: none. redriver has to have said so since the acceptance
   * before it, and what it said has to be possible: a note stands for a series of its own, which is accepted
   * once, and the reason `after-ledger-loss` for a loss between the two.
   */
  function declaredWhy(booked: Booked, { declarations, losses }: Evidence): string | null {
    const { letter, acceptances, explained } = booked;
    const one = acceptances[explained];
    const last = acceptances[explained - 1];
    if (one === undefined || last === undefined) return null;
    const said = declarations(letter.dlqId)
      .filter(({ earliest, latest }) => latest > last.at && earliest <= one.at)
      .map(({ why }) => why);
    const isFirstOfSeries = acceptances.slice(0, explained).every(({ suffix }) => suffix !== one.suffix);
    const note = said.find((why) => why !== lossReason);
    if (note !== undefined && one.suffix > 1 && isFirstOfSeries) return note;
    return said.includes(lossReason) && isForgotten(booked, losses) ? lossReason : null;
  }

  /** The extra acceptances of one dead letter, from the oldest that is not explained. */
  function explain(booked: Booked, evidence: Evidence): void {
    const { letter, acceptances } = booked;
    for (; booked.explained < acceptances.length; booked.explained += 1) {
      const one = acceptances[booked.explained];
      const before = acceptances[booked.explained - 1];
      if (one === undefined || before === undefined) return;
      const why = declaredWhy(booked, evidence);
      if (why !== null) doubles.push({ dlqId: letter.dlqId, why, apartMs: one.at - before.at });
      else broken("doubled", toEvidence(booked, evidence));
    }
  }

  function toEvidence(booked: Booked, { story, losses }: Evidence): string {
    const { letter, acceptances, explained } = booked;
    const ids = acceptances.map(({ messageId, suffix, at }) => `${messageId} (suffix ${suffix}, ${at})`);
    const lost = losses.map(({ from, to }) => `${from} to ${to}`).join(", ") || "nothing";
    const could = isForgotten(booked, losses)
      ? "a loss of Redis explains it"
      : "no loss of Redis explains it";
    return (
      `${letter.dlqId} (${letter.root}) was accepted as ${ids.join(", ")}; number ${explained + 1} was not declared, and ${could}; ` +
      `the audit says ${story(letter.dlqId)}; Redis lost ${lost}`
    );
  }

  return {
    born,
    broken,
    letters,
    violations,
    doubles,
    /** Messages that redriver published, by id, and the dead letter each was made of. */
    published,
    deadAgain,
    read(entry: JournalEntry): void {
      if (entry.type === "accepted") accepted(entry);
      else if (entry.type === "dead-lettered") deadLettered(entry);
      else if (entry.type === "deleted") deleted(entry);
      else if (entry.type === "retried") retried(entry);
      else if (entry.type === "lost") broken("emulator", `it failed on ${entry.messageId}: ${entry.error}`);
    },
    /** Explains the extra acceptances up to `until` (Unix ms); each is a declared case or a violation. */
    explainDoubles(evidence: Evidence, until: number): void {
      for (const entry of unnamed.values()) {
        if (entry.at > until) continue;
        broken("foreign-id", `${entry.messageId} for ${entry.url} was accepted under no id`);
        unnamed.delete(entry.messageId);
      }
      for (const booked of doubled) {
        if ((booked.acceptances.at(-1)?.at ?? 0) > until) continue;
        explain(booked, evidence);
        doubled.delete(booked);
      }
    },
    /** Deleted without an acceptance: the archive has to have them. */
    takeUnproven(): readonly Booked[] {
      const taken = unproven;
      unproven = [];
      return taken;
    },
  };
}

/**
 * From an intent to its acceptance: sent within a second, held back by path and service for 18 s at most, and
 * a busy machine.
 */
const longestIntentMs = 25_000;

/**
 * `redriver-<ms>-<seq>` with `-<suffix>` from the second series on; null for any other. Read here, so that a
 * mistake in src is not shared.
 */
function readDeduplicationId(
  text: string | undefined,
): { readonly dlqId: string; readonly suffix: number } | null {
  const [, dlqId, suffix = "1"] = /^redriver-(\d+-\d+)(?:-(\d+))?$/.exec(text ?? "") ?? [];
  return dlqId === undefined ? null : { dlqId, suffix: Number(suffix) };
}
