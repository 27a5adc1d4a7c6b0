import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { kept, newDir } from "../../../support/archive-rig.ts";
import { createJobStand } from "../../../support/job-stand.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const context = { signal: new AbortController().signal, lastTry: true };

it("a source whose batches are refused is swept, counted and copied while its publishing is halted", async () => {
  const dir = newDir();
  const { rig, events, handle } = await createJobStand({
    redisUrl: redis.url(),
    source: "{ retention: 3d, census: 1s }",
    document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`,
    drain: `
    beforeExpiry: { within: 12h, then: archive }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`,
  });
  const { emulator, drain } = rig;
  const { config, ledger } = drain.source;
  const pass = async (): Promise<void> => {
    const { passId, windowId } = await openWindow(rig);
    await handle({ kind: "window", drain: "main" as DrainName, passId, windowId }, context);
  };
  // Deletes that are pending, and a batch that is refused.
  rig.seed(5);
  emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
  await rig.pass();
  emulator.faults.add({ kind: "status", operation: "batch", status: 403 });
  rig.seed(12);
  await drain.source.passes.forceFull(drain.config.name);
  await pass();
  expect(events.of("source:halted")).toMatchObject([{ code: "unauthorised", callClass: "batch" }]);
  const before = rig.callsOf("batch");

  const near = rig.seed(2, {}, 71 * 3_600_000);
  await handle({ kind: "sweep", source: config.id }, context);
  expect(await ledger.summary()).toMatchObject({ pendingDelete: 0 });
  expect(emulator.dlq.size).toBe(14);
  const census = async () => {
    await handle({ kind: "census", source: config.id }, context);
    return events.of("census:taken").at(-1);
  };
  await expect.poll(census, { timeout: 10_000 }).toMatchObject({ depth: 14, expiringUnarchived: 0 });
  expect((await kept(dir)).map(({ dlqId }) => dlqId).toSorted()).toEqual(near.toSorted());

  // And a pass lists and decides, and holds what it would publish.
  await drain.source.passes.forceFull(drain.config.name);
  await pass();
  expect(events.of("pass:closed").at(-1)).toMatchObject({
    outcome: "complete",
    counts: { listed: 14, republished: 0 },
  });
  expect(rig.callsOf("batch")).toBe(before);
});
