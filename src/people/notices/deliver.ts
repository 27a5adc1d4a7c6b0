import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { Clock } from "../../job/contracts/clock.ts";
import { isRedriverError, RedriverError } from "../../job/contracts/errors.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { SourceId } from "../../job/contracts/ids.ts";
import type { NoticeAnswer, NoticeBook, NoticeRate, SendNotices } from "../../job/contracts/notices.ts";
import { dropNotices, giveUpAfterMs, noticesFor, removeNotices } from "./drop-notices.ts";
import type { NoticeMemory } from "./to-notices.ts";

export interface DeliverParts {
  readonly target: Pick<NotifyTarget, "name" | "everyMs">;
  readonly books: ReadonlyMap<SourceId, NoticeBook<NoticeMemory>>;
  readonly rate: NoticeRate;
  readonly send: SendNotices;
  readonly events: Events;
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
  /** No further try follows this one. */
  readonly lastTry: boolean;
}

/** What one event brings with it, such as the halts of all hosts of a rack, comes within this time. */
const groupWaitMs = 15_000;
/** Of one message; more go with the next. */
const maxGrouped = 100;

/**
 * Sends what waits for a target as one message: once the oldest has waited for `groupWaitMs`, or `everyMs` if that is
 * less, and `everyMs` after the message before. A notice is removed after it was taken, so it may be sent twice after a crash,
 * under the same id. Fails with `notice-deferred` if the target wants no message now, and with
 * `notice-undelivered` if it takes none.
 */
export async function deliverNotices(parts: DeliverParts): Promise<void> {
  const { rate, send, events, clock, signal } = parts;
  const { name: target, everyMs } = parts.target;
  const place = { ...parts, target };
  for (;;) {
    const waiting = await noticesFor(place);
    const [oldest] = waiting;
    if (oldest === undefined) return;
    const groupMs = oldest.at + Math.min(groupWaitMs, everyMs) - clock.now();
    const waitMs = groupMs > 0 ? groupMs : await rate.take(target, everyMs);
    if (waitMs > 0) {
      const detail = { retryAt: clock.now() + waitMs };
      throw new RedriverError("notice-deferred", `notify.${target}: what is news now goes together`, detail);
    }
    const notices = waiting.slice(0, maxGrouped);
    try {
      const answer = await send(notices, signal);
      if (answer.status < 200 || answer.status > 299) throw toRefusal(target, answer);
    } catch (error) {
      await rate.giveBack(target);
      if (!(await isGivenUp(error, place))) throw error;
      continue;
    }
    await removeNotices(place, notices);
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
async function isGivenUp(
  error: unknown,
  parts: Omit<DeliverParts, "target"> & { readonly target: string },
): Promise<boolean> {
  const { lastTry, clock } = parts;
  if (!isRedriverError(error)) return false;
  const isTry = error.code === "notice-undelivered";
  if (!isTry && error.code !== "notice-deferred") return false;
  const olderThan = clock.now() - giveUpAfterMs;
  await dropNotices(parts, ({ at }) => (isTry && lastTry) || at < olderThan, error.message);
  return (await noticesFor(parts)).length === 0;
}
