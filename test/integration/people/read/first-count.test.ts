import { expect, it } from "vitest";
import { workWindow } from "../../../../src/job/pass/work-window.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { createRig, impatient, takeoverMs } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const redis = useRedis();

it("what a sweep publishes at a rate in a first pass waits no more, so at least so many are in the queue", async () => {
  const drain = `    minAge: 0s
    limits: { publish: 10/s }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`;
  const rig = await createRig({ redisUrl: redis.url(), settings: impatient, drain });
  const { faults, dlq } = rig.emulator;
  rig.seed(30);
  faults.add({ kind: "drop-answer", operation: "batch", when: "before" });
  const work = await openWindow(rig);
  const stop = new AbortController();
  const source = { ...rig.drain.source, health: { ...rig.drain.source.health, takeRetry: () => false } };
  const handedBack = workWindow(
    { ...rig.drain, source },
    { ...work, stopping: stop.signal, onPage: () => stop.abort() },
  );
  await expect(handedBack).rejects.toMatchObject({ code: "stopped" });
  faults.clear();
  faults.add({ kind: "status", operation: "delete", status: 503 });
  rig.advance(takeoverMs);
  const swept = rig.sweep();
  // Of the first batch, while the rate holds the others.
  await waitFor(async () => {
    const { drains, sources } = await readQueueFacts(rig.core);
    expect(sources[0]?.depth?.count).toBeLessThanOrEqual(dlq.size);
    expect([10, 20]).toContain(drains[0]?.destinations[0]?.waiting);
  });
  await swept;
  expect(dlq.size).toBe(30);
});
