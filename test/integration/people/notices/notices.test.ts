import { createHmac } from "node:crypto";
import dns from "node:dns";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { expect, it, onTestFinished } from "vitest";
import { createSendNotices, type SendParts } from "../../../../src/people/notices/send-notices.ts";
import type { NotifyTarget } from "../../../../src/job/contracts/drains-document.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { noticeEvents, type Notice } from "../../../../src/job/contracts/notices.ts";
import { deliverNotices } from "../../../../src/people/notices/deliver.ts";
import { evaluateNotices, writeDigests } from "../../../../src/people/notices/evaluate.ts";
import type { NoticeFacts } from "../../../../src/people/notices/notice-facts.ts";
import type { NoticeMemory } from "../../../../src/people/notices/to-notices.ts";
import type { RedisConnection } from "../../../../src/job/redis/connect.ts";
import { createRedisNoticeBook } from "../../../../src/job/store/notices/redis-notice-book.ts";
import { createRedisIncidentBook } from "../../../../src/job/store/notices/redis-incident-book.ts";
import { drain, noticeFacts } from "../../../support/notice-facts.ts";
import { openQueue, recordEvents } from "../../../support/queue-redis.ts";
import { createReceiver } from "../../../support/receiver.ts";
import { useRedis } from "../../../support/redis.ts";
import { serve } from "../../../support/serve.ts";
import { waitFor } from "../../../support/wait-for.ts";

const redis = useRedis();

const waiting = (count: number) => noticeFacts({ waiting: count });

const source = "eu" as SourceId;

const target: NotifyTarget = {
  name: "oncall",
  url: { kind: "env", name: "UNUSED" },
  form: "events",
  events: noticeEvents,
  allowPrivate: true,
  // Nothing waits for others, unless a test says so.
  everyMs: 1,
};

const notice = (number: number, at = Date.now() - 1): Notice => ({
  id: `${at}-eu-${number}`,
  event: "failure.new",
  at,
  source,
  items: [{ drain, destination: null, cause: `cause ${number}`, failure: null, count: 10 }],
  more: 0,
});

/** What replicas share of notices, and a receiver of them. */
async function createNoticeStand(connection: RedisConnection = redis.fresh()) {
  const receiver = await createReceiver();
  onTestFinished(() => receiver.close());
  const events = recordEvents();
  const book = createRedisNoticeBook<NoticeMemory>(connection, source);
  const books = new Map([[source, book]]);
  const readsOf = (facts: NoticeFacts) => () => Promise.resolve(new Map([[source, facts]]));
  const incidents = createRedisIncidentBook(connection);
  const clock = { now: () => Date.now() };
  return {
    receiver,
    events,
    book: { ...book, waiting: async (of: string) => (await book.read()).waiting(of) },
    evaluate: (facts: NoticeFacts, now: number, targets: readonly NotifyTarget[] = [target]) =>
      evaluateNotices({ books, targets, readFacts: readsOf(facts), events, now }),
    writeDigests: (of: NotifyTarget, facts: NoticeFacts, now: number) =>
      writeDigests(of, { books, readFacts: readsOf(facts), events, now }),
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

function resolveWith(lookup: typeof dns.lookup): void {
  dns.lookup = lookup;
  syncBuiltinESMExports();
}

it("is written once by replicas that evaluate at once, sent signed, and not again", async () => {
  const { evaluate, deliver, receiver, received, book } = await createNoticeStand();
  const now = Date.now();
  await evaluate(waiting(0), now - 5_000);
  const pending = await Promise.all([0, 1, 2, 3].map((ms) => evaluate(waiting(40), now + ms)));
  expect(new Set(pending.flatMap((one) => [...one]))).toEqual(new Set(["oncall"]));
  expect(await book.waiting("oncall")).toHaveLength(1);
  await deliver({ secret: "key" });
  await evaluate(waiting(40), now + 5_000);
  await deliver({ secret: "key" });

  expect(received().map(({ type }) => type)).toEqual(["redriver.backlog.began"]);
  const { headers, body, path } = receiver.deliveries[0]!;
  expect(path).toBe("/hook");
  expect(headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["redriver-signature"])) ?? [];
  expect(hex).toBe(createHmac("sha256", "key").update(`${seconds}.${body}`).digest("hex"));
  expect(Math.abs(Number(seconds) * 1_000 - now)).toBeLessThan(60_000);
});

it("tells each target what it asked for", async () => {
  const { evaluate, book } = await createNoticeStand();
  const others = [
    { ...target, name: "parks", events: ["parked.new" as const] },
    { ...target, name: "elsewhere", sources: [] },
    { ...target, name: "drains", drains: [] },
  ];
  const pending = await evaluate(waiting(40), Date.now(), [target, ...others]);
  expect([...pending]).toEqual(["oncall"]);
  expect(await book.waiting("drains")).toEqual([]);
});

it("sends what comes together as one message, and the next after its time, whichever replica sends it", async () => {
  const { put, deliver, received, events, book } = await createNoticeStand();
  const everyMs = 300_000;
  const now = Date.now();
  await put(notice(1, now - 5_000));
  // It waits for what else the incident brings.
  const early: unknown = await deliver({ everyMs }).catch((error: unknown) => error);
  expect(early).toMatchObject({ code: "notice-deferred" });
  expect((early as { readonly retryAt: number }).retryAt).toBe(now + 10_000);
  await put(...Array.from({ length: 21 }, (_, index) => notice(index, now - 16_000)));
  const replicas = await Promise.allSettled([deliver({ everyMs }), deliver({ everyMs })]);
  expect(replicas.map(({ status }) => status).toSorted()).not.toEqual(["rejected", "rejected"]);
  expect(received()).toMatchObject([{ type: "redriver.grouped" }]);
  const told = events.of("notice:delivered").flatMap(({ notices }) => notices.map(({ id }) => id));
  expect(new Set(told).size).toBe(22);

  await put(notice(99, now - 16_000));
  // Its job looks again every 15 s: something worse, or the end, would not wait.
  const late: unknown = await deliver({ everyMs }).catch((error: unknown) => error);
  expect(late).toMatchObject({ code: "notice-deferred" });
  const { retryAt } = late as { readonly retryAt: number };
  expect(retryAt - Date.now()).toBeGreaterThan(13_000);
  expect(retryAt - Date.now()).toBeLessThan(16_000);
  expect(received()).toHaveLength(1);
  // Nothing is lost meanwhile: it waits in Redis.
  expect(await book.waiting("oncall")).toHaveLength(1);
});

it("that was not taken makes nothing wait for the next one's time", async () => {
  const { put, deliver, receiver, received } = await createNoticeStand();
  await put(notice(1, Date.now() - 16_000));
  receiver.answer = () => 500;
  await expect(deliver({ everyMs: 300_000 })).rejects.toMatchObject({ code: "notice-undelivered" });
  receiver.answer = () => 200;
  await deliver({ everyMs: 300_000 });
  expect(new Set(received().map(({ id }) => id)).size).toBe(1);
  expect(received()).toHaveLength(2);
});

it("is sent again by its job after errors, and under the same id", async () => {
  const connection = redis.fresh();
  const { put, deliver, receiver, received } = await createNoticeStand(connection);
  const { queue } = openQueue(redis.url(), {
    keyPrefix: connection.keyPrefix,
    noticeRetry: { attempts: 4, baseMs: 20, capMs: 50 },
  });
  onTestFinished(() => queue.close({ softMs: 0, hardMs: 2_000 }));
  queue.allow({ short: 1, windows: 1, notices: 2 });
  receiver.answer = () => (receiver.deliveries.length < 3 ? 500 : 200);
  await put(notice(1));
  await queue.start((_job, { lastTry }) => deliver({ lastTry }));
  await Promise.all([1, 2, 3].map(() => queue.addNotify(["oncall"])));
  await waitFor(() => expect(received()).toHaveLength(3));
  expect(new Set(received().map(({ id }) => id)).size).toBe(1);

  receiver.answer = () => 200;
  await put(notice(2));
  await waitFor(async () => {
    await queue.addNotify(["oncall"]);
    expect(received()).toHaveLength(4);
  });
});

it("is dropped with its last try, and reported", async () => {
  const { put, deliver, receiver, book, events } = await createNoticeStand();
  receiver.answer = () => ({ status: 500, body: "secret" });
  await put(notice(1), notice(2));
  await expect(deliver()).rejects.toMatchObject({ code: "notice-undelivered" });
  expect(await book.waiting("oncall")).toHaveLength(2);
  await deliver({ lastTry: true });
  expect(await book.waiting("oncall")).toEqual([]);
  expect(events.of("notice:dropped")).toMatchObject([
    { target: "oncall", notices: [{}, {}], why: "notify.oncall: expected a status of 2xx, got 500" },
  ]);
});

it("waits as long as a busy target asks, but no news waits for more than an hour", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(429, { "retry-after": "120" }).end();
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  const { put, deliver, book, events } = await createNoticeStand();
  const now = Date.now();
  await put(notice(1, now - 3_700_000), notice(2, now));
  const error: unknown = await deliver({ url, lastTry: true }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "notice-deferred" });
  const { retryAt } = error as { readonly retryAt: number };
  expect(retryAt - now).toBeGreaterThan(119_000);
  expect(retryAt - now).toBeLessThan(180_000);
  expect((await book.waiting("oncall")).map(({ at }) => at)).toEqual([now]);
  expect(events.of("notice:dropped")).toHaveLength(1);
});

it("never reaches a private address, by its literal, by a name that leads there, or by a redirect", async () => {
  const { put, deliver, receiver } = await createNoticeStand();
  await put(notice(1));
  const port = new URL(receiver.url).port;
  const guarded = { ...target, allowPrivate: false };
  for (const url of [
    `https://127.0.0.1:${port}/s3cr3t`,
    `https://localhost:${port}/s3cr3t`,
    `http://[::1]:${port}/`,
  ]) {
    await expect(deliver({ target: guarded, url })).rejects.toThrow(
      /^notify\.oncall: [^/]*allowPrivate: true would allow it$/,
    );
  }
  // A public name that the machine's resolver, once it is asked, leads to this machine.
  const asked: string[] = [];
  const system = dns.lookup;
  onTestFinished(() => resolveWith(system));
  resolveWith(((host: string, _options: object, answer: (...found: unknown[]) => void) => {
    asked.push(host);
    answer(null, [{ address: "127.0.0.1", family: 4 }]);
  }) as unknown as typeof dns.lookup);
  const byName = deliver({ target: guarded, url: `https://hooks.example.com:${port}/s3cr3t` });
  await expect(byName).rejects.toThrow(
    /^notify\.oncall: its name leads to a private address; allowPrivate: true would allow it$/,
  );
  resolveWith(system);
  expect(asked).toEqual(["hooks.example.com"]);
  expect(receiver.deliveries).toEqual([]);

  const server = createServer((_request, response) => {
    response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  await expect(deliver({ url })).rejects.toThrow("got 307");
  expect(receiver.deliveries).toEqual([]);
});

it("reads only the start of an answer that has no end", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (response.write("x".repeat(65_536)));
      response.once("drain", more);
    };
    more();
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  const { put, deliver, book } = await createNoticeStand();
  await put(notice(1));
  await deliver({ url });
  expect(await book.waiting("oncall")).toEqual([]);
});

it("leaves notices out when a thousand wait, and says so", async () => {
  const { put, book } = await createNoticeStand();
  const verdict = await put(...Array.from({ length: 1_010 }, (_, index) => notice(index)));
  expect(verdict).toEqual({ kind: "replaced", leftOut: 12 });
  expect(await book.waiting("oncall")).toHaveLength(998);
});

it("forgets what waits for a target that is gone, once it is no news any more", async () => {
  const { put, evaluate, book, events } = await createNoticeStand();
  const now = Date.now();
  await put(notice(1, now - 3_700_000), notice(2, now));
  expect([...(await evaluate(waiting(0), now, []))]).toEqual([]);
  expect(await book.waiting("oncall")).toHaveLength(1);
  expect(events.of("notice:dropped")).toMatchObject([{ why: "no such target" }]);
});

/** A drain that has published so many, and where so many wait. */
function day(published: number, count: number): NoticeFacts {
  return noticeFacts({ waiting: count, published, heldByRules: count });
}

it("a digest counts from the one before, once however often its job runs", async () => {
  const { evaluate, writeDigests, book } = await createNoticeStand();
  const daily = { ...target, digest: { kind: "cron", pattern: "0 8 * * *" } as const, events: [] };
  const now = Date.now();
  await evaluate(day(100, 0), now, [daily]);
  const dayLater = now + 86_400_000;
  await Promise.all([0, 1, 2].map((ms) => writeDigests(daily, day(130, 4), dayLater + ms)));
  await writeDigests(daily, day(131, 4), dayLater + 2_000);
  await writeDigests(daily, day(135, 0), dayLater + 86_400_000);
  const digests = await book.waiting("oncall");
  expect(digests.map(({ event, items }) => [event, items[0]?.figures])).toMatchObject([
    ["digest", { since: now, published: 30, waiting: 4, heldByRules: 4 }],
    ["digest", { published: 5, waiting: 0 }],
  ]);
});
