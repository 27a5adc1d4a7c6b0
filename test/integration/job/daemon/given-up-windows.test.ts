import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { toWindowJobId } from "../../../../src/job/queue/job-data.ts";
import { toQueueName, toQueuePrefix } from "../../../../src/job/redis/key-prefix.ts";
import { openPass } from "../../../../src/job/pass/open-pass.ts";
import { sourceKeys } from "../../../../src/job/store/keys.ts";
import { createJobStand } from "../../../support/job-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;
const main = "main" as DrainName;
const tick = (everyMs: number) =>
  ({ id: "tick:main", schedule: { kind: "every", everyMs }, job: { kind: "tick", drain: main } }) as const;

/** A pass over five letters, and the job of its one window. `passes.abandonAfter` is the built-in one. */
async function openStand(isFit = true) {
  const stand = await createJobStand(
    { redisUrl: redis.url() },
    { retry: { attempts: 2, baseMs: 20, capMs: 20 }, isFit },
  );
  const { rig, queue, events } = stand;
  rig.seed(5);
  const opened = await openPass(rig.drain, rig.core.settings.passes, never);
  const { passId } = opened.kind === "opened" ? opened.pass : opened;
  const [window] = opened.windows;
  const job = { kind: "window", drain: main, passId, windowId: window!.windowId } as const;
  await queue.addWindows([job], 1);
  const { redis: connection, settings } = rig.core;
  const { keyPrefix } = settings.redis;
  const base = `${toQueuePrefix(keyPrefix)}:${toQueueName(keyPrefix, "windows")}`;
  const { passPrefix } = sourceKeys(keyPrefix, rig.drain.source.config.id);
  const outcomes = (): readonly string[] => events.of("pass:closed").map(({ outcome }) => outcome);
  return { ...stand, job, connection, base, row: `${passPrefix}${main}`, outcomes };
}

const soon = { timeout: 10_000, interval: 20 };

async function isDrained({ rig, outcomes }: Awaited<ReturnType<typeof openStand>>): Promise<void> {
  await expect.poll(() => rig.emulator.dlq.size, soon).toBe(0);
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1, 1, 1]);
  await expect.poll(() => outcomes().at(-1), soon).toBe("complete");
}

it("a window whose workers were lost however often is worked, and its pass is complete", async () => {
  const stand = await openStand();
  await stand.connection.command("HSET", `${stand.base}:${toWindowJobId(stand.job)}`, "stc", 50);
  await stand.start();
  await isDrained(stand);
  expect(stand.outcomes()).toEqual(["complete"]);
});

it("a window whose failure allows no other try ends its pass as partial at once, and the next pass lists it", async () => {
  const stand = await openStand();
  // Nobody can read it.
  await stand.connection.command("HSET", `${stand.row}:windows`, stand.job.windowId, "{");
  await stand.start();
  await expect.poll(stand.outcomes, soon).toEqual(["partial"]);
  await stand.queue.applySchedules([tick(200)]);
  await isDrained(stand);
  expect(stand.outcomes()).not.toContain("abandoned");
});

it("a window whose job has ended without it, and whose worker died then, is handed on by the next tick", async () => {
  const stand = await openStand();
  const id = toWindowJobId(stand.job);
  await stand.connection.command("LREM", `${stand.base}:wait`, 0, id);
  await stand.connection.command("ZADD", `${stand.base}:failed`, Date.now(), id);
  await stand.start();
  await stand.queue.applySchedules([tick(200)]);
  await isDrained(stand);
  expect(stand.outcomes()[0]).toBe("complete");
});

it("a window of a Redis that is not fit asks nothing and begins nothing; it is tried again however often, and worked once Redis is fit", async () => {
  const stand = await openStand(false);
  const { rig, events, state } = stand;
  const requests = (): number => rig.emulator.journal.entries("request").length;
  const before = requests();
  await stand.start();
  await expect.poll(() => state.asked, soon).toBeGreaterThan(4);
  expect(requests()).toBe(before);
  expect((await rig.drain.source.ledger.summary()).open).toBe(0);
  state.isFit = true;
  await isDrained(stand);
  expect(stand.outcomes()).toEqual(["complete"]);
  expect(events.of("job:failed").map(({ code, givenUp }) => `${code} ${givenUp}`)).toEqual([
    "redis-unavailable false",
  ]);
});
