import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { createJobStand, type JobStand } from "../../../support/job-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const main = "main" as DrainName;

const listings = ({ rig: { emulator } }: JobStand): number =>
  emulator.journal.entries("request").filter(({ operation }) => operation === "list").length;

/** Waits until so many jobs of windows have ended, and no more. */
async function jobsEnded({ live, rig }: JobStand, count: number): Promise<void> {
  const { keyPrefix } = rig.core.settings.redis;
  const ended = `{${keyPrefix}}:${keyPrefix}-v1-windows:completed`;
  await expect.poll(() => live.current().redis.command("ZCARD", ended), { timeout: 30_000 }).toBe(count);
}

/** One pass, by a tick that this process handles. Answers the counts of its records. */
async function pass(stand: JobStand): Promise<{ readonly listed: number; readonly republished: number }> {
  const closed = (): number => stand.events.of("pass:closed").length;
  const before = closed();
  await stand.handle({ kind: "tick", drain: main }, { signal: new AbortController().signal, lastTry: true });
  await expect.poll(closed, { timeout: 30_000 }).toBe(before + 1);
  return stand.events.of("pass:closed").at(-1)!.counts;
}

it("a pass after one that listed nothing asks for one record, and ends without a job; a record brings a job back", async () => {
  const stand = await createJobStand({ redisUrl: redis.url() });
  await stand.start();
  expect(await pass(stand)).toMatchObject({ listed: 0 });
  await jobsEnded(stand, 1);
  expect(await pass(stand)).toMatchObject({ listed: 0, pages: 1 });
  expect(await pass(stand)).toMatchObject({ listed: 0 });
  await jobsEnded(stand, 1);
  // The first one asked for the service's clock.
  expect(listings(stand)).toBe(4);
  const facts = await stand.rig.drain.source.passes.facts(main);
  expect(facts).toMatchObject({ lastOutcome: "complete", openPass: null });

  stand.rig.seed(20);
  expect(await pass(stand)).toMatchObject({ republished: 20 });
  await jobsEnded(stand, 2);
  // It listed something, so the next one has a job.
  await pass(stand);
  await jobsEnded(stand, 3);
});

it("if that one listing fails, the window's job meets the failure, and the pass is complete all the same", async () => {
  const stand = await createJobStand({ redisUrl: redis.url() });
  await stand.start();
  await pass(stand);
  await jobsEnded(stand, 1);
  stand.rig.emulator.faults.add({ kind: "status", operation: "list", status: 500, count: 1 });
  await pass(stand);
  await jobsEnded(stand, 2);
  expect(stand.events.of("pass:closed").map(({ outcome }) => outcome)).toEqual(["complete", "complete"]);
});
