import { expect, it } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { createRig, pagesSideBySide } from "../../../support/rig.ts";
import { passWith } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("the pages of a window are listed while others are published, and each is settled once", async () => {
  // Pages side by side, whatever the knobs: with one in flight none is listed beside another.
  const rig = await createRig({ redisUrl: redis.url(), ...pagesSideBySide });
  // Of one moment, so that they are one window.
  const at = Date.now() - 600_000;
  const of = { url: `${rig.receiver.url}/hook`, createdAt: at - 5_000, responseStatus: 503 };
  rig.emulator.dlq.seed(
    Array.from({ length: 250 }, (_, n) => ({ ...of, dlqId: `${at}-${n}`, body: `${n}` })),
  );
  rig.emulator.faults.add({ kind: "latency", operation: "batch", ms: 300 });
  expect(await rig.pass()).toMatchObject({ tally: { listed: 250, republished: 250, deleted: 250 } });
  const calls = rig.emulator.journal.entries("request").map(({ operation }) => operation);
  expect(calls.indexOf("batch")).toBeGreaterThan(calls.lastIndexOf("list"));
  expect(rig.emulator.dlq.size).toBe(0);
});

it("a page that comes again is neither worked nor counted twice", async () => {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: "    minAge: 0s\n    otherwise: hold\n    rules: []\n",
  });
  const at = Date.now() - 600_000;
  rig.emulator.dlq.seed(Array.from({ length: 250 }, (_, n) => ({ dlqId: `${at}-${n}` })));
  rig.emulator.faults.add({ kind: "repeat-page", count: 1 });
  expect(await rig.pass()).toMatchObject({ tally: { listed: 250, held: 250 } });
});

const paused = (): Promise<never> => {
  const retryAt = Date.now() + 10_000;
  return Promise.reject(new RedriverError("rate-limited", "429", { retryAt }));
};

it("a pass that waits for a pause of its source before it is opened is stopped, and has not failed", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const drain = { ...rig.drain, source: { ...rig.drain.source, bind: paused } };
  const stopping = new AbortController();
  const signals = { signal: new AbortController().signal, stopping: stopping.signal };
  const pass = runPassInProcess(drain, { overlapMs: 0, abandonAfterMs: 60_000 }, signals, () => undefined);
  setTimeout(() => stopping.abort(), 300);
  await expect(pass).rejects.toMatchObject({ code: "stopped" });
});

it("a pass whose windows another process takes is taken over, and has not failed", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(3);
  const { passes } = rig.drain.source;
  const takeWindow: typeof passes.takeWindow = async (drain, passId, windowId, ...more) => {
    const taken = await passes.takeWindow(drain, passId, windowId, ...more);
    await passes.takeWindow(drain, passId, windowId, "a daemon's");
    return taken;
  };
  expect(await passWith(rig, { passes: { ...passes, takeWindow } })).toMatchObject({ outcome: "taken-over" });
});
