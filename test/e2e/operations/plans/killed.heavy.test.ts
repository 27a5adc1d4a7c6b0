import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import type { PlanId } from "../../../../src/job/contracts/ids.ts";
import { applyToEnd, makeHere, planOf, startDesk } from "../../../support/desk-stand.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const order = { by: "bob", why: "again" };
/** S = T = 1 s, so that what a killed process had begun is taken over after 17 s. */
const impatient = { REDRIVER_LEDGER_SEND_BY: "1s", REDRIVER_SERVICE_BATCH_TIMEOUT: "1s" };
const child = join(import.meta.dirname, "../../../support/desk-child.mjs");

/** A replica that applies a plan. `kill` is a `kill -9`. */
async function startApply({ env }: PlanStand, id: PlanId) {
  const { PATH, HOME } = process.env;
  const running = spawn(process.execPath, [child, id], {
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(running, "close");
  const kill = async (): Promise<void> => {
    if (running.exitCode === null && running.signalCode === null) running.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  await once(createInterface({ input: running.stdout }), "line");
  return { kill };
}

it("applied by a replica that is killed in the middle and applied again by another, a plan is delivered exactly once", async () => {
  const stand = await createPlanStand(redis.url(), { env: impatient });
  stand.seed(400);
  const other = await startDesk({ env: stand.env, document: outageDocument });
  const id = await makeHere(other);
  stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 250, name: "slow" });
  const working = await startApply(stand, id);
  await stand.emulator.journal.waitFor(() => stand.emulator.journal.entries("accepted").length >= 30);
  await working.kill();
  const { accepted } = stand.emulator.journal.counts();
  expect(accepted).toBeLessThan(400);
  // Nobody knows yet that it is dead.
  await expect(other.desk.apply(id, order)).rejects.toThrow(/ada applies plan \w+ of drain orders already/);
  await expect
    .poll(async () => (await planOf(other, id)).state, { timeout: 30_000, interval: 500 })
    .toBe("interrupted");

  stand.emulator.faults.remove("slow");
  await applyToEnd(other, id, order);
  await stand.emulator.idle();
  expect(stand.receiver.counts().size).toBe(400);
  expect(stand.receiver.deliveries).toHaveLength(400);
  expect(stand.emulator.dlq.size).toBe(0);
}, 180_000);
