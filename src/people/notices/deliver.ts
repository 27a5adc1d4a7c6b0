import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { Clock } from "../../job/contracts/clock.ts";
import { isRedriverError, RedriverError } from "../../job/contracts/errors.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { SourceId } from "../../job/contracts/ids.ts";
import type { IncidentBook, NoticeAnswer, NoticeBook, SendNotices } from "../../job/contracts/notices.ts";
import { dropNotices, giveUpAfterMs, noticesFor, oldestFirst, removeNotices } from "./drop-notices.ts";
import { dueAt, goesOn, groupWaitMs, longestWaitMs, toIncident, toldAt } from "./incident.ts";
import type { NoticeMemory } from "./to-notices.ts";

export interface DeliverParts {
  readonly target: Pick<NotifyTarget, "name" | "everyMs" | "drains">;
  readonly books: ReadonlyMap<SourceId, NoticeBook<NoticeMemory>>;
  readonly incidents: IncidentBook;
  readonly send: SendNotices;
  readonly events: Events;
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
  readonly lastTry: boolean;
}

const maxGrouped = 100;
/** News that is worse, and the end of an incident, go before what waits. So a job that waits looks this often. */
const lookAgainMs = groupWaitMs;
/** Longer than a call to a target takes. After a crash nobody sends to the target for so long. */
const holdMs = 30_000;

/**
 * Sends what waits for a target as one message, when it is due (`incident.ts`). A notice is removed after it was taken, so it
 * may be sent twice after a crash, under the same id. Fails with `notice-deferred` if the target wants no message
 * now, and with `notice-undelivered` if it takes none.
 */
export async function deliverNotices(parts: DeliverParts): Promise<void> {
  const { incidents } = parts;
  const { name } = parts.target;
  for (let left = true; left;) {
    const busyMs = await incidents.hold(name, holdMs);
    if (busyMs > 0) throw toDeferred(parts, parts.clock.now() + busyMs);
    try {
      left = await deliverOnce(parts);
    } finally {
      await incidents.letGo(name);
    }
  }
}

/** One message, or an end of what nobody takes. False: nothing waits. */
async function deliverOnce(parts: DeliverParts): Promise<boolean> {
  const { books, incidents, send, events, clock, signal } = parts;
  const { name: target, everyMs } = parts.target;
  const place = { ...parts, target, everyMs };
  const states = await Promise.all([...books.values()].map((book) => book.read()));
  const [oldest, ...others] = oldestFirst(states.flatMap((state) => state.waiting(target)));
  if (oldest === undefined) return false;
  const known = await incidents.read(target);
  const now = clock.now();
  const still = (before?: number): boolean =>
    states.some(({ memory }) => goesOn(memory, parts.target, before));
  const isSame = known !== null && (now < known.until || (known.goesOn && still(toldAt(known, place))));
  const incident = isSame ? known : null;
  const pace = { everyMs, isOver: !still() };
  const at = dueAt([oldest, ...others], incident, pace);
  if (at > now) throw toDeferred(parts, Math.min(at, now + lookAgainMs));
  const notices = [oldest, ...others].slice(0, maxGrouped);
  try {
    const answer = await send(notices, signal);
    if (answer.status < 200 || answer.status > 299) throw toRefusal(target, answer);
  } catch (error) {
    if (!(await isGivenUp(error, place))) throw error;
    return true;
  }
  if (notices.some(({ event }) => event !== "digest")) {
    await incidents.write(target, toIncident(incident, notices, pace, clock.now()));
  }
  await removeNotices(place, notices);
  events.emit({ type: "notice:delivered", target, notices });
  return true;
}

function toDeferred({ target }: DeliverParts, retryAt: number): RedriverError {
  const message = `notify.${target.name}: what is news now goes together`;
  return new RedriverError("notice-deferred", message, { retryAt });
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
  parts: Omit<DeliverParts, "target"> & { readonly target: string; readonly everyMs: number },
): Promise<boolean> {
  const { lastTry, clock } = parts;
  if (!isRedriverError(error)) return false;
  const isTry = error.code === "notice-undelivered";
  if (!isTry && error.code !== "notice-deferred") return false;
  const olderThan = clock.now() - giveUpAfterMs - longestWaitMs(parts.everyMs);
  await dropNotices(parts, ({ at }) => (isTry && lastTry) || at < olderThan, error.message);
  return (await noticesFor(parts)).length === 0;
}
