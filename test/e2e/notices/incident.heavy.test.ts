/**
 * One incident as people are told of it: a real daemon, Redis and HTTP. A host goes down with a backlog of two drains and
 * halts; for 31 minutes new kinds of failure come and some are parked; it is up again. Settings of notices are as
 * shipped, in a world in which a minute takes 2 s: `every` is 10 s instead of 5 min, and with it come the times that
 * follow from it. Passes, evaluations and the 20 s without another park are not. Nor is the watch of lanes: what is sent may
 * take 6 s of it. On a busy machine it took 4 s, so with a shorter watch some failed again, and began anew.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createFolder } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import type { SourceId } from "../../../src/job/contracts/ids.ts";
import { createRedisNoticeBook } from "../../../src/job/store/notices/redis-notice-book.ts";
import { createReceiver, type Receiver } from "../../support/receiver.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis();
const minuteMs = 2_000;
const token = "viewer-token-0123456789";

const rules = `
    rules:
      - { name: outage, when: { responseStatus: [502-504, none] }, then: republish }
      - { name: gone, when: { responseStatus: 410 }, then: park }`;

const documentOf = (hook: string, down: string, well: string): string => `
version: 1
sources: { default: {} }
defaults:
  mode: live
  schedule: { every: 500ms, full: 30m }
  minAge: 1s
  attempts: { max: 99, wait: [1s] }
  lane: { canary: 5, watch: 10s, probeEvery: 10s }
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
drains:
  orders:
    select: { url: "${down}/orders" }${rules}
  billing:
    select: { url: "${down}/billing" }${rules}
  mail:
    select: { url: "${well}/mail" }${rules}
notify:
  oncall: { url: "${hook}", form: events, allowPrivate: true, every: 10s }
`;

interface Item {
  readonly drain: string;
  readonly destination: string | null;
  readonly cause: string | null;
  readonly firstStep: string | null;
  readonly link?: string;
  readonly count?: number;
  readonly figures?: Readonly<Record<string, number>>;
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly items: readonly Item[];
}

/** One message may have several notices. */
function toldIn(body: string): readonly Told[] {
  const { data, ...one } = JSON.parse(body) as Told & {
    readonly data: Told & { readonly notices?: readonly Told[] };
  };
  return data.notices ?? [{ ...data, id: one.id, type: one.type }];
}

async function setUp() {
  const shared = redis.fresh();
  const book = createRedisNoticeBook(shared, "default" as SourceId);
  const { emulator, receiver: down } = await startService();
  const [well, people] = await Promise.all([createReceiver(), createReceiver()]);
  onTestFinished(async () => {
    await Promise.all([well, people].map(({ close }) => close()));
  });
  const { path } = createFolder({ tokens: `eve viewer ${token}` });
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    keyPrefix: shared.keyPrefix,
    document: documentOf(`${people.url}/hook`, down.url, well.url),
    env: {
      REDRIVER_CONSOLE_PORT: "0",
      REDRIVER_CONSOLE_AUTH: "token",
      REDRIVER_CONSOLE_TOKEN_FILE: `${path}/tokens`,
      REDRIVER_CONSOLE_URL: "https://redriver.example.com",
      REDRIVER_LOG_LEVEL: "debug",
    },
  });
  const seed = (path: string, host: Receiver, count: number, status: number, answer: string): void => {
    const fields = { url: `${host.url}/${path}`, responseStatus: status, responseBody: answer };
    seedLetters(emulator, count, () => fields, { ageMs: 0, everyMs: 0 });
  };
  const told = (): readonly Told[] => people.deliveries.flatMap(({ body }) => toldIn(body));
  const of = (event: string): readonly Told[] => told().filter(({ type }) => type === `redriver.${event}`);
  const items = (event: string): readonly Item[] => of(event).flatMap((one) => one.items);
  return { book, emulator, down, well, people, env, seed, told, of, items };
}

it("one incident of 31 minutes is four messages at most: begin, what changed, end; each with cause, link and act", async () => {
  const { book, emulator, down, well, people, env, seed, told, items } = await setUp();
  down.answer = () => ({ status: 503, body: "upstream down" });
  const daemon = await startDaemon(env);
  // The evaluation of the empty queue, which is what arrivals are compared with.
  await expect.poll(async () => (await book.read()).version, { timeout: 30_000 }).toBeGreaterThan(0);

  const beganAt = Date.now();
  seed("orders", down, 60, 503, "upstream down");
  seed("billing", down, 40, 503, "upstream down");
  seed("mail", well, 20, 504, "timed out");
  for (let minute = 1; minute < 31; minute += 1) {
    await sleep(Math.max(0, beganAt + minute * minuteMs - Date.now()));
    if (minute % 3 === 0)
      seed("orders", down, 12, 503, `error ${"abcdefghij".charAt(minute / 3 - 1)} of many`);
    if (minute === 5) seed("billing", down, 7, 410, "account closed");
  }
  const before = people.deliveries.length;
  expect(items("backlog.ended").filter(({ drain }) => drain !== "mail")).toEqual([]);
  down.answer = () => 200;
  await expect.poll(() => emulator.dlq.size, { timeout: 120_000, interval: 50 }).toBe(7);
  const emptyAt = Date.now();
  await expect
    .poll(() => items("backlog.ended").length, { timeout: 60_000, interval: 50 })
    .toBeGreaterThanOrEqual(3);
  // Four seconds of nothing, an evaluation, and the group's 10 s.
  expect(Date.now() - emptyAt).toBeLessThan(25_000);
  // What else would come.
  await sleep(10_000);

  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(3);
  expect(people.deliveries.length).toBeLessThanOrEqual(4);
  const last = toldIn(people.deliveries.at(-1)!.body);
  expect(last.map(({ type }) => type)).toContain("redriver.backlog.ended");
  // Nothing is left out, and nothing comes twice.
  expect(
    items("backlog.began")
      .map(({ drain }) => drain)
      .toSorted(),
  ).toEqual(["billing", "mail", "orders"]);
  expect(
    items("backlog.ended")
      .map(({ drain }) => drain)
      .toSorted(),
  ).toEqual(["billing", "mail", "orders"]);
  expect(items("failure.new")).toHaveLength(12);
  expect(items("parked.new").map(({ count, drain, cause }) => [count, drain, cause])).toEqual([
    [7, "billing", "410 account closed"],
  ]);
  const halts = items("destination.halted").map(({ drain, destination }) => `${drain} ${destination}`);
  expect(new Set(halts)).toEqual(new Set([`billing ${down.url}`, `orders ${down.url}`]));
  const figures = Object.fromEntries(items("backlog.ended").map((item) => [item.drain, item.figures]));
  expect(figures).toMatchObject({
    orders: { parked: 0 },
    billing: { parked: 7 },
    mail: { published: 20, parked: 0 },
  });
  for (const { type, text, items: all } of told()) {
    expect(text).toMatch(/First step: `redriver |Nothing to do/);
    for (const { cause, link, firstStep } of all) {
      expect([type, cause]).toEqual([type, expect.stringMatching(/\d{3}/)]);
      expect(link).toMatch(/^https:\/\/redriver\.example\.com\/failures/);
      const opened = await fetch(link!.replace("https://redriver.example.com", daemon.consoleUrl!), {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(opened.status).toBe(200);
      expect(firstStep ?? type).toMatch(/^redriver |ended$|resumed$/);
    }
  }
}, 300_000);
