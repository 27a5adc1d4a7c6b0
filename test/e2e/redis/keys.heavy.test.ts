import { expect, it } from "vitest";
import { createFolder } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { documentedKeys, scanKeys, type FoundKey } from "../../support/redis-keys.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis("own");

const toDocument = (archive: string): string => `
version: 1
sources: { default: { census: 1s } }
archive: { dir: ${archive}, volume: ephemeral }
drains:
  main:
    mode: live
    lane: none
    schedule: { every: 500ms, full: 1s }
    limits: { publish: 5000/s, perHost: { from: 5000/s, to: 9000/s }, perPass: 5000, perDay: 50000 }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    guards: [{ index: catalog, hold: "pending_index_count > 1000000", whenStale: ignore }]
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: late, when: { responseStatus: 410 }, then: drop }
indexes:
  catalog: { id: demo, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } } }
`;

const markers = { body: "bodyMarkerXylophone", header: "headerMarkerQuixotic" };

async function setUp() {
  const { emulator, receiver } = await startService();
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    // As docs/redis.md writes it.
    keyPrefix: "redriver",
    document: toDocument(`${createFolder().path}/archive`),
    env: {
      INDEX_USER: emulator.statsCredentials.username,
      INDEX_PASSWORD: emulator.statsCredentials.password,
      REDRIVER_STATISTICS_URL: emulator.url,
    },
  });
  let seeded = 0;
  const seed = (count: number, responseStatus: number): void => {
    seedLetters(emulator, count, () => ({
      url: `${receiver.url}/hook`,
      responseStatus,
      header: { "X-Note": [markers.header] },
      body: `${markers.body}-${(seeded += 1)}`,
    }));
  };
  return { emulator, receiver, env, seed };
}

const isUnfinished = ({ key }: FoundKey): boolean =>
  /:ledger:(open|pending|failed|open-batches|pending-batches)$/.test(key);
const isJob = ({ key }: FoundKey): boolean => /:(window\/|repeat:.*:\d+$)/.test(key);
/** There while a pass is open, or a job is under way. */
const isPassing = ({ key }: FoundKey): boolean =>
  /:(windows|taken|due|wait|active|delayed|stalled|marker)$/.test(key);
/** One of each source, from its first sweep or census on. */
const isOfCarefulJob = ({ key }: FoundKey): boolean => /:passes:~\w+$/.test(key);
const staying = (keys: readonly FoundKey[]): readonly FoundKey[] =>
  keys.filter((one) => !one.expires && !isJob(one) && !isPassing(one));
const names = (keys: readonly FoundKey[]): readonly string[] =>
  staying(keys)
    .filter((one) => !isOfCarefulJob(one))
    .map(({ key }) => key);

it("what 2,000 records leave in Redis expires, but for what docs/redis.md names, and that does not grow with them", async () => {
  const { emulator, receiver, env, seed } = await setUp();
  const kinds = documentedKeys();
  const parked = 3;
  seed(100, 503);
  seed(parked, 422);
  seed(3, 410);
  const daemon = await startDaemon(env);
  /** All of it worked, and noted. */
  const drained = async (count: number): Promise<readonly FoundKey[]> => {
    await expect.poll(() => receiver.counts().size, { timeout: 60_000 }).toBe(count);
    await expect.poll(() => emulator.dlq.size, { timeout: 60_000 }).toBe(parked);
    await expect.poll(async () => (await scanKeys(redis.url())).some(isUnfinished)).toBe(false);
    return scanKeys(redis.url());
  };

  const few = await drained(100);
  seed(1_900, 503);
  const many = await drained(2_000);
  await daemon.endsWell();

  expect(many.filter(({ key }) => key.includes(":ledger:entry:"))).toHaveLength(2_006);
  const unknown = many.filter(
    ({ key, expires }) => !kinds.some((kind) => kind.expires === expires && kind.pattern.test(key)),
  );
  expect(unknown.map(({ key, expires }) => `${key} ${expires ? "expires" : "stays"}`)).toEqual([]);

  expect(names(many)).toEqual(names(few));
  const ours = staying(many).filter(({ key }) => key.startsWith("redriver:v1:"));
  expect(ours.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(30);

  const jobs = many.filter(isJob).map(({ text }) => {
    const { opts } = JSON.parse(text) as { readonly opts: string };
    return JSON.parse(opts) as Readonly<Record<string, unknown>>;
  });
  expect(jobs.length).toBeGreaterThan(20);
  // What a schedule made is removed at once when it is done.
  for (const { removeOnComplete, removeOnFail, repeatJobKey } of jobs) {
    const kept = { age: 3_600, count: expect.any(Number) as number };
    expect(removeOnComplete).toEqual(repeatJobKey === undefined ? kept : true);
    expect(removeOnFail).toEqual({ age: 86_400, count: expect.any(Number) as number });
  }

  const forbidden = [...Object.values(markers), emulator.token, emulator.statsCredentials.password];
  const leaking = many.filter(({ text }) => forbidden.some((secret) => text.includes(secret)));
  expect(leaking.map(({ key }) => key)).toEqual([]);
}, 240_000);
