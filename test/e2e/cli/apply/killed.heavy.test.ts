import { expect, it } from "vitest";
import { start } from "../../../support/command.ts";
import { createPlanStand, outageDocument } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** S = T = 1 s, so that what a killed process had begun is taken over after 17 s. */
const impatient = {
  REDRIVER_LEDGER_SEND_BY: "1s",
  REDRIVER_SERVICE_BATCH_TIMEOUT: "1s",
};
const who = ["--reason", "the receiver is up again", "--by", "ada"];

it("applied, killed in the middle and applied again, a plan republishes each message exactly once", async () => {
  const stand = await createPlanStand(redis.url());
  stand.seed(800);
  expect((await stand.plan()).exitCode).toBe(0);
  // Each POST is accepted and answered late, so that the process dies between the two.
  stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 250, name: "slow" });

  const env = { ...stand.env, ...impatient };
  for (const batches of [2, 5]) {
    const running = start(["apply", stand.file, ...who], env);
    await stand.emulator.journal.waitFor(
      () => stand.emulator.journal.entries("accepted").length >= batches * 100 - 50,
    );
    running.child.kill("SIGKILL");
    await running.ended;
  }
  const accepted = stand.emulator.journal.counts().accepted;
  expect(accepted).toBeGreaterThan(100);
  expect(accepted).toBeLessThan(800);

  const last = { exitCode: null as number | null, err: "" };
  await expect
    .poll(
      async () => {
        Object.assign(last, await start(["apply", stand.file, ...who, "--json"], env).ended);
        return last.exitCode;
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toBe(0);
  await stand.emulator.idle();
  expect(stand.receiver.counts().size).toBe(800);
  expect(stand.receiver.deliveries).toHaveLength(800);
  expect(stand.emulator.dlq.size).toBe(0);
  // The killed ones left something in doubt, which the service recognised.
  expect(stand.emulator.journal.counts().deduplicated).toBeGreaterThan(0);
}, 240_000);

it("told by Ctrl-C to stop, finishes the page and ends with 3; told twice it ends now, and nothing is published twice", async () => {
  const stand = await createPlanStand(redis.url());
  stand.seed(800);
  await stand.plan();
  stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 250, name: "slow" });
  const env = { ...stand.env, ...impatient };

  const once = start(["apply", stand.file, ...who, "--json"], env);
  await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
  once.child.kill("SIGINT");
  const first = await once.ended;
  expect(first.exitCode).toBe(3);
  expect(first.err).toContain("stopping after this page");
  const [{ applied }] = JSON.parse(first.out) as [{ applied: { left: number; tally: { deleted: number } } }];
  expect(applied.left + applied.tally.deleted).toBe(800);

  const seen = stand.emulator.journal.counts().accepted;
  const twice = start(["apply", stand.file, ...who], env);
  await stand.emulator.journal.waitFor(() => stand.emulator.journal.counts().accepted > seen);
  const heard = new Promise<void>((resolve) => {
    twice.child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("once more to stop now")) resolve();
    });
  });
  twice.child.kill("SIGINT");
  await heard;
  twice.child.kill("SIGINT");
  expect((await twice.ended).exitCode).toBe(3);

  await expect
    .poll(async () => (await start(["apply", stand.file, ...who], env).ended).exitCode, {
      timeout: 60_000,
      interval: 1_000,
    })
    .toBe(0);
  await stand.emulator.idle();
  expect(stand.receiver.counts().size).toBe(800);
  expect(stand.receiver.deliveries).toHaveLength(800);
}, 240_000);

it("killed while it looks for what comes back, a second apply tells what became of it and sends nothing", async () => {
  const document = outageDocument.replace(
    "lane: none",
    "lane: { canary: 5, watch: 10m, haltAt: 20%, probeEvery: 15m }",
  );
  const stand = await createPlanStand(redis.url(), { document });
  // One stays away, so that the first would look on for ten minutes.
  let answered = 0;
  stand.receiver.answer = () => ((answered += 1) === 1 ? 200 : 503);
  stand.seed(5);
  await stand.plan();
  const first = start(["apply", stand.file, ...who], { ...stand.env, ...impatient });
  await new Promise<void>((resolve) => {
    first.child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("so far")) resolve();
    });
  });
  first.child.kill("SIGKILL");
  await first.ended;
  await stand.emulator.idle();

  const second = start(["apply", stand.file, ...who, "--json"], { ...stand.env, ...impatient });
  await new Promise<void>((resolve) => {
    second.child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("4 came back so far")) resolve();
    });
  });
  second.child.kill("SIGINT");
  const { out, exitCode } = await second.ended;
  expect(exitCode).toBe(1);
  expect((JSON.parse(out) as object[])[0]).toMatchObject({
    check: { done: 5 },
    applied: { tally: { republished: 0 }, left: 0 },
    verdict: {
      sent: 5,
      cameBack: 4,
      silent: 1,
      isBad: true,
      text: expect.stringMatching(
        /^5 sent, 4 came back so far: 503, 127\.0\.0\.1:\d+ was still down at [\d:]+ UTC, 1 has not come back yet/,
      ) as string,
    },
  });
  expect(stand.receiver.deliveries).toHaveLength(5);
}, 120_000);
