import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

describe("an answer that never comes", () => {
  it("R38 after acceptance is found again under the same id: delivered once, deleted once", async () => {
    // No takeover is waited for here, so a second call that a busy machine delays is in time too.
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(20);
    rig.emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "after", count: 1 });
    expect(await rig.pass()).toMatchObject({
      outcome: "complete",
      tally: { republished: 20, deduplicated: 20, deleted: 20 },
    });
    expect(rig.eventsOf("outcome:unknown")).toHaveLength(1);
    await expectDrainedOnce(rig, 20);
  });
});

it("a batch that is refused whatever it holds halts the source after ten single refusals, and parks nothing", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(100);
  rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, error: "no" });
  expect(await rig.pass()).toMatchObject({ tally: { republished: 0, deleted: 0, parked: 0, due: 90 } });
  expect(rig.eventsOf("source:halted")).toMatchObject([{ code: "service-refuses-everything" }]);
  expect(rig.emulator.journal.counts().requests["batch 400"]).toBeLessThan(30);
  expect(rig.emulator.dlq.size).toBe(100);
});

it("a service that turns the batch away leaves nothing open in the ledger", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(5);
  rig.emulator.faults.add({ kind: "status", operation: "batch", status: 401 });
  expect(await rig.pass()).toMatchObject({ tally: { republished: 0, due: 5 } });
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0 });
});

describe("a hit on an id of ours", () => {
  it("R39 after refusals only proves nothing: the message goes out under the next suffix and is delivered once", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const [id] = rig.seed(1) as DlqId[];
    rig.emulator.faults.add({ kind: "item-error", positions: [0], registersDeduplication: true, count: 1 });
    await rig.pass();
    expect(rig.emulator.dlq.size).toBe(1);
    // Due again at once instead of after ten minutes.
    const { ledger } = rig.drain.source;
    const { name, rulesHash } = rig.drain.config;
    const park = { drain: name, rulesHash, token: null };
    await ledger.park([{ dlqId: id!, reason: "refused", attempt: 0 }], park);
    await ledger.release([id!]);
    await rig.fullPass();
    await expectDrainedOnce(rig, 1);
  });
});
