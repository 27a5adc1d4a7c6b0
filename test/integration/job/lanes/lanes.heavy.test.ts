import { it } from "vitest";
import { runListingChecks } from "../../../../src/job/lanes/listing-checks.ts";
import { createRig, never, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
/**
 * A step that is not granted whole closes after half of it: longer than a page takes here on a busy machine.
 */
const watchMs = 5_000;

/**
 * 50 messages and more in half of the watch are all that the limits let through: open after the first step.
 */
const careful = `
    minAge: 0s
    attempts: { max: 3, wait: [0s] }
    lane: { canary: 5, watch: ${watchMs / 1_000}s, haltAt: 20%, probeEvery: 5m }
    limits: { publish: 20/s, perHost: 20/s }
    rules:
      - { name: outage, when: { responseStatus: [422, 503] }, then: republish }
`;

async function laneOf({ drain }: Rig) {
  const { lanes } = await drain.source.lanes.views(1);
  return lanes[0]!;
}

async function look(rig: Rig): Promise<void> {
  rig.advance(watchMs + 100);
  await runListingChecks(rig.drain.source, never);
}

it.concurrent("messages that the service refuses halt nothing while lanes hold what it accepts", async ({
  expect,
  onTestFinished,
}) => {
  const drain = careful.replace(`${watchMs / 1_000}s`, "1m");
  const rig = await createRig({ onTestFinished, redisUrl: redis.url(), drain });
  rig.emulator.faults.add({ kind: "item-error", bodyContains: "unwanted" });
  rig.seed(50);
  for (let host = 0; host < 6; host += 1)
    rig.seed(5, { url: `http://h${host}.example.com/`, body: '{"unwanted":1}' });
  await rig.pass();
  expect(rig.recordsOf("record:published")).toHaveLength(5);
  rig.seed(30, { url: "http://h6.example.com/", body: '{"unwanted":2}' });
  for (let times = 0; times < 6; times += 1) {
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    await rig.pass();
  }
  expect(rig.eventsOf("source:halted")).toEqual([]);
  expect(rig.emulator.dlq.size).toBe(105);
});

it.concurrent("a message that was published before Redis forgot it is no canary: its silence says nothing", async ({
  expect,
  onTestFinished,
}) => {
  const plainly = careful.replace(/lane: .*/, "lane: none");
  const first = await createRig({
    onTestFinished,
    redisUrl: redis.url(),
    drain: plainly,
    emulator: { retryScale: 1 },
  });
  first.receiver.answer = () => 503;
  first.seed(10, { maxRetries: 3 });
  first.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 });
  expect(await first.pass()).toMatchObject({ tally: { republished: 10, deleted: 0 } });
  const { redis: connection } = first.core;
  const keys = (await connection.command("KEYS", `${connection.keyPrefix}:*`)) as string[];
  await connection.command("DEL", ...keys);

  const second = await createRig({ onTestFinished, redisUrl: redis.url(), drain: careful, twinOf: first });
  expect(await second.pass()).toMatchObject({ tally: { republished: 5, deduplicated: 5, deleted: 5 } });
  await look(second);
  expect(await laneOf(second)).toMatchObject({ state: "canary", sent: 0, totals: { canaries: 0 } });
  expect(second.recordsOf("record:published").filter(({ canary }) => canary)).toEqual([]);
  // And what was granted for them is there for others at once.
  expect(await second.pass()).toMatchObject({ tally: { republished: 5, deduplicated: 5 } });
}, 120_000);

it.concurrent("a person who drains by hand waits for a step also where hundreds of lanes are halted", async ({
  expect,
  onTestFinished,
}) => {
  const rig = await createRig({ onTestFinished, redisUrl: redis.url(), drain: careful });
  const { config, source } = rig.drain;
  const { lanes } = source;
  for (let first = 0; first < 300; first += 100) {
    const ids = Array.from({ length: 100 }, (_, index) => `dead${first + index}`);
    const asks = ids.map((lane) => ({
      lane,
      origin: `https://${lane}.example.com`,
      wanted: 1,
      resumeMinutes: [],
    }));
    const { answers } = await lanes.ask(config.name, config.lane!, asks);
    const steps = ids.map((lane, index) => ({ lane, step: answers[index]!.step }));
    await lanes.sent(
      steps.map((step) => ({ ...step, roots: ["r"] })),
      watchMs,
    );
    const said = { kind: "down", status: 503 } as const;
    await lanes.recordComeBacks(
      steps.flatMap((step) =>
        ["p", "q"].map((name) => ({ ...step, ...said, parentDlqId: `${step.lane}-${name}` })),
      ),
    );
  }
  expect((await lanes.views(0)).counts).toMatchObject({ halted: 300 });
  rig.seed(40);
  expect(await rig.drainAll()).toMatchObject({ tally: { republished: 40, held: 0 } });
}, 120_000);
