import { createHmac } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { createFolder } from "../../../support/command.ts";
import { createRedisNoticeBook } from "../../../../src/job/store/notices/redis-notice-book.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { startPod } from "../../../support/pod.ts";
import { createReceiver } from "../../../support/receiver.ts";
import { useRedis } from "../../../support/redis.ts";
import { startService } from "../../../support/service.ts";

const redis = useRedis();

const documentOf = (hook: string, keyFile: string): string => `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 30m }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    lane: { canary: 5, watch: 5s }
    limits: { publish: none, perHost: none, perPass: none, perDay: none }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: never, when: { responseStatus: 489 }, then: park }
notify:
  oncall:
    url: ${hook}
    form: events
    secret: { file: ${keyFile} }
    allowPrivate: true
    every: 1s
    digest: "*/10 * * * * *"
`;

interface Event {
  readonly type: string;
  readonly id: string;
  readonly data: { readonly text: string; readonly items: readonly { readonly figures?: object }[] };
}

interface Grouped {
  readonly id: string;
  readonly data: {
    readonly notices: readonly (Pick<Event, "type" | "id"> & Event["data"])[];
  };
}

/** One message may have several notices. */
const parts = (event: Event | Grouped): readonly Event[] =>
  "notices" in event.data
    ? event.data.notices.map(({ type, id, ...data }) => ({ type, id, data }))
    : [event as Event];

it("two replicas tell of a backlog, its failure, its parks and its end, once each and in time", async () => {
  const { emulator, receiver } = await startService();
  const people = await createReceiver();
  onTestFinished(() => people.close());
  const keyFile = `${createFolder({ key: "the-key\n" }).path}/key`;
  const shared = redis.fresh();
  const common = { emulator, redisUrl: redis.url(), keyPrefix: shared.keyPrefix };
  const document = documentOf(`${people.url}/hook`, keyFile);
  const pods = [startPod({ ...common, document }), startPod({ ...common, document })];
  const events = (type: string): readonly Event[] =>
    people.deliveries
      .flatMap(({ body }) => parts(JSON.parse(body) as Event | Grouped))
      .filter((event) => event.type === `redriver.${type}`);
  // The evaluation of an empty queue, which is what arrivals are compared with.
  const book = createRedisNoticeBook(shared, "default" as SourceId);
  await expect.poll(async () => (await book.read()).version, { timeout: 30_000 }).toBeGreaterThan(0);

  const now = Date.now();
  const letters = Array.from({ length: 75 }, (_, index) => ({
    dlqId: `${now}-${index}`,
    url: `${receiver.url}/hook`,
    createdAt: now - 5_000,
    responseStatus: index < 70 ? 503 : 489,
    responseBody: index < 70 ? "down" : "never",
    maxRetries: 0,
    body: `message ${index}`,
  }));
  emulator.dlq.seed(letters);
  await expect.poll(() => events("backlog.began").length, { timeout: 30_000, interval: 50 }).toBe(1);
  expect(Date.now() - now).toBeLessThan(12_000);
  expect(events("backlog.began")[0]?.data.text).toMatch(
    /^main: a backlog began: \d+ dead letters wait, most of them for .*503 .*redriver failures show [0-9a-f]{10}`$/,
  );

  await expect.poll(() => emulator.dlq.size, { timeout: 60_000, interval: 50 }).toBe(5);
  const emptyAt = Date.now();
  await expect.poll(() => events("backlog.ended").length, { timeout: 30_000, interval: 50 }).toBe(1);
  expect(Date.now() - emptyAt).toBeLessThan(12_000);
  expect(events("backlog.ended")[0]?.data.items[0]?.figures).toMatchObject({
    published: 70,
    failedAgain: 0,
    parked: 5,
  });
  await expect.poll(() => events("parked.new").length, { timeout: 90_000, interval: 100 }).toBe(1);
  expect(events("parked.new")[0]?.data.text).toMatch(/^5 dead letters newly parked for a person/);
  expect(events("failure.new").map(({ data }) => data.text.replace(/ at .*arrived/, ""))).toEqual([
    expect.stringMatching(/^new failure: 503 /),
  ]);

  await expect.poll(() => events("digest").length, { timeout: 60_000, interval: 100 }).toBeGreaterThan(0);
  expect(events("digest").at(-1)?.data.items[0]?.figures).toMatchObject({ newFailures: 2, parked: 5 });

  const all = people.deliveries.map(({ body }) => (JSON.parse(body) as Event).id);
  expect(new Set(all).size).toBe(all.length);
  for (const { headers, body } of people.deliveries) {
    const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["redriver-signature"])) ?? [];
    expect(hex).toBe(createHmac("sha256", "the-key").update(`${seconds}.${body}`).digest("hex"));
  }
  expect(pods.flatMap((pod) => pod.eventsOf("job:failed"))).toEqual([]);
}, 240_000);
