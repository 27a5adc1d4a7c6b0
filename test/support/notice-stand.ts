import { onTestFinished } from "vitest";
import { createSendNotices, type SendParts } from "../../src/people/notices/send-notices.ts";
import type { NotifyTarget } from "../../src/job/contracts/drains-document.ts";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";
import { noticeEvents, type Notice } from "../../src/job/contracts/notices.ts";
import { deliverNotices } from "../../src/people/notices/deliver.ts";
import { evaluateNotices, writeDigests } from "../../src/people/notices/evaluate.ts";
import type { NoticeFacts } from "../../src/people/notices/notice-facts.ts";
import type { NoticeMemory } from "../../src/people/notices/to-notices.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { createRedisNoticeBook } from "../../src/job/store/notices/redis-notice-book.ts";
import { createRedisIncidentBook } from "../../src/job/store/notices/redis-incident-book.ts";
import { recordEvents } from "./queue-redis.ts";
import { createReceiver } from "./receiver.ts";

export const source = "eu" as SourceId;
export const drain = "orders" as DrainName;

export const target: NotifyTarget = {
  name: "oncall",
  url: { kind: "env", name: "UNUSED" },
  form: "events",
  events: noticeEvents,
  allowPrivate: true,
  // Nothing waits for others, unless a test says so.
  everyMs: 1,
};

/** Facts of a drain where so many wait, and nothing else is known. */
export function waitingFacts(waiting: number, more: Partial<NoticeFacts> = {}): NoticeFacts {
  return {
    drains: [
      {
        drain,
        waiting,
        stillCounting: false,
        heldByRules: 0,
        parked: 0,
        published: 0,
        failedAgain: 0,
        failures: [],
        destinations: [],
        expiresAt: null,
        nearMs: 0,
      },
    ],
    kinds: new Map(),
    quiet: new Set(),
    owned: new Set(),
    halted: [],
    isHaltedWhole: true,
    uncopied: 0,
    ...more,
  };
}

export const notice = (number: number, at = Date.now() - 1): Notice => ({
  id: `${at}-eu-${number}`,
  event: "failure.new",
  at,
  source,
  items: [{ drain, destination: null, cause: `cause ${number}`, failure: null, count: 10 }],
  more: 0,
});

/** What replicas share of notices, and a receiver of them. */
export async function createNoticeStand(redis: RedisConnection) {
  const receiver = await createReceiver();
  onTestFinished(() => receiver.close());
  const events = recordEvents();
  const books = new Map([[source, createRedisNoticeBook<NoticeMemory>(redis, source)]]);
  const book = createRedisNoticeBook<NoticeMemory>(redis, source);
  const incidents = createRedisIncidentBook(redis);
  const clock = { now: () => Date.now() };
  return {
    receiver,
    events,
    book: { ...book, waiting: async (of: string) => (await book.read()).waiting(of) },
    evaluate: (facts: NoticeFacts, now: number, targets: readonly NotifyTarget[] = [target]) =>
      evaluateNotices({
        books,
        targets,
        readFacts: () => Promise.resolve(new Map([[source, facts]])),
        events,
        now,
      }),
    writeDigests: (of: NotifyTarget, facts: NoticeFacts, now: number) =>
      writeDigests(of, { books, readFacts: () => Promise.resolve(new Map([[source, facts]])), events, now }),
    deliver: ({
      lastTry = false,
      everyMs = target.everyMs,
      ...parts
    }: Partial<SendParts> & { readonly lastTry?: boolean; readonly everyMs?: number } = {}) =>
      deliverNotices({
        target: { name: target.name, everyMs },
        books,
        incidents,
        send: createSendNotices({
          target,
          url: `${receiver.url}/hook`,
          clock,
          egress: { url: undefined, except: [] },
          ...parts,
        }),
        events,
        clock,
        signal: new AbortController().signal,
        lastTry,
      }),
    /** Puts notices on their way, whatever the facts say. */
    async put(...notices: readonly Notice[]) {
      const { version, memory } = await book.read();
      const none = { backlogs: {}, parked: {}, halted: {}, failures: {}, expiring: {} };
      const addressed = notices.map((one) => ({ target: target.name, notice: one }));
      return book.replace(version, memory ?? none, addressed);
    },
    received: () =>
      receiver.deliveries.map(
        ({ body }) => JSON.parse(body) as { readonly type: string; readonly id: string },
      ),
  };
}
