import type { Clock } from "../../job/contracts/clock.ts";
import { isRedriverError, RedriverError } from "../../job/contracts/errors.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { SourceId } from "../../job/contracts/ids.ts";
import type { NoticeAnswer, NoticeBook, NoticeRate, SendNotices } from "../../job/contracts/notices.ts";
import { dropNotices, giveUpAfterMs, noticesFor, removeNotices } from "./drop-notices.ts";
import type { NoticeMemory } from "./to-notices.ts";

export interface DeliverParts {
  readonly target: string;
  readonly books: ReadonlyMap<SourceId, NoticeBook<NoticeMemory>>;
  readonly rate: NoticeRate;
  readonly send: SendNotices;
  readonly events: Events;
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
  /** No further try follows this one. */
  readonly lastTry: boolean;
}

/** Of one message; more go with the next. */
const maxGrouped = 100;

/**
 * Sends what waits for a target, the oldest first, each notice as a message. The last message that has room in a
 * minute takes all that wait. A notice is removed after it was taken, so it may be sent twice after a crash,
 * under the same id. Fails with `notice-deferred` if the target wants no message now, and with
 * `notice-undelivered` if it takes none.
 */
export async function deliverNotices(parts: DeliverParts): Promise<void> {
  const { target, rate, send, events, clock, signal } = parts;
  for (;;) {
    const waiting = await noticesFor(parts);
    if (waiting.length === 0) return;
    const { waitMs, left } = await rate.take(target);
    if (waitMs > 0) {
      const detail = { retryAt: clock.now() + waitMs };
      throw new RedriverError("notice-deferred", `notify.${target} had its messages of this minute`, detail);
    }
    const notices = left === 0 ? waiting.slice(0, maxGrouped) : waiting.slice(0, 1);
    try {
      const answer = await send(notices, signal);
      if (answer.status < 200 || answer.status > 299) throw toRefusal(target, answer);
    } catch (error) {
      if (!(await isGivenUp(error, parts))) throw error;
      continue;
    }
    await removeNotices(parts, notices);
    events.emit({ type: "notice:delivered", target, notices });
  }
}

function toRefusal(target: string, { status, retryAt, through }: NoticeAnswer): RedriverError {
  const message = `notify.${target}${through}: expected a status of 2xx, got ${status}`;
  const isBusy = (status === 429 || status === 503) && retryAt !== null;
  if (isBusy) return new RedriverError("notice-deferred", message, { status, retryAt });
  return new RedriverError("notice-undelivered", message, { status });
}

/** Drops what is too old, and after the last try all. True if nothing waits any more. */
async function isGivenUp(error: unknown, parts: DeliverParts): Promise<boolean> {
  const { lastTry, clock } = parts;
  if (!isRedriverError(error)) return false;
  const isTry = error.code === "notice-undelivered";
  if (!isTry && error.code !== "notice-deferred") return false;
  const olderThan = clock.now() - giveUpAfterMs;
  await dropNotices(parts, ({ at }) => (isTry && lastTry) || at < olderThan, error.message);
  return (await noticesFor(parts)).length === 0;
}
