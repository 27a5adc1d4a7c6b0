import { expect, it } from "vitest";
import { start } from "../../../support/command.ts";
import { createPlanStand } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** S = T = 1 s, so that what a killed process had begun is taken over after 17 s. */
const impatient = {
  REDRIVER_LEDGER_SEND_BY: "1s",
  REDRIVER_SERVICE_BATCH_TIMEOUT: "1s",
};
const who = ["--reason", "the receiver is up again", "--by", "ada"];

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
