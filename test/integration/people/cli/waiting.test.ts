import { expect, it } from "vitest";
import { createCommandStand } from "../../../support/command-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("a command that the service does not answer for 2 s says once what it waits for", async () => {
  const stand = await createCommandStand(redis.url());
  const [id = ""] = stand.seed(1);
  await stand.drain();
  const show = async () => {
    const { err, exitCode } = await stand.run(["parked", "show", id]);
    return { err, exitCode };
  };
  expect(await show()).toEqual({ err: "", exitCode: 0 });
  stand.emulator.faults.add({ kind: "latency", operation: "list", ms: 2_300, count: 1 });
  const waiting = "waiting for the service of source default to answer\n";
  expect(await show()).toEqual({ err: waiting, exitCode: 0 });
  // Each try fails at once.
  stand.emulator.faults.add({ kind: "status", operation: "list", status: 503, count: 3 });
  expect(await show()).toEqual({ err: waiting, exitCode: 0 });
});
