import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/message/dead-letter.ts";
import type { MessageService } from "../../../../src/ports/service.ts";
import { runPassInProcess } from "../../../../src/redrive/pass/pass-in-process.ts";
import type { DrainRuntime } from "../../../../src/redrive/runtime.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;

/** The drain's runtime with a service of which each delete is told before it is sent. */
function withDeletesTold({ drain }: Rig, told: (ids: readonly DlqId[]) => Promise<void>): DrainRuntime {
  const { service } = drain.source;
  const watched: MessageService = {
    list: (...call) => service.list(...call),
    publish: (...call) => service.publish(...call),
    clockOffsetMs: () => service.clockOffsetMs(),
    remove: async (ids, signal) => {
      await told(ids);
      return service.remove(ids, signal);
    },
  };
  return { ...drain, source: { ...drain.source, service: watched } };
}

describe("a delete", () => {
  it("is sent only when the ledger has the publication of each of its ids", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(120);
    const states: string[] = [];
    const drain = withDeletesTold(rig, async (ids) => {
      const { views } = await rig.drain.source.ledger.peek(ids);
      states.push(...views.map(({ state }) => state));
    });
    await runPassInProcess(
      drain,
      rig.core.settings.passes,
      { signal: never, stopping: never },
      () => undefined,
    );
    expect(states).toHaveLength(120);
    expect(new Set(states)).toEqual(new Set(["published"]));
  });

  it("that deletes fewer than asked leaves all of its ids pending, and what is listed again is not published again", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const ids = rig.seed(3) as DlqId[];
    // Somebody else deletes one of them right before.
    const drain = withDeletesTold(rig, () => {
      rig.emulator.dlq.remove([ids[0]!]);
      return Promise.resolve();
    });
    await runPassInProcess(
      drain,
      rig.core.settings.passes,
      { signal: never, stopping: never },
      () => undefined,
    );
    const { views } = await rig.drain.source.ledger.peek(ids);
    expect(views.map(({ state }) => state)).toEqual(["published", "published", "published"]);
    expect(rig.eventsOf("delete:short")).toMatchObject([{ asked: 3, deleted: 2 }]);
    expect(rig.emulator.journal.counts().accepted).toBe(3);
  });
});

describe("a hit on an id of ours", () => {
  it("R39 after refusals only proves nothing: the message goes out under the next suffix and is delivered once", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const [id] = rig.seed(1) as DlqId[];
    rig.emulator.faults.add({
      kind: "item-error",
      positions: [0],
      registersDeduplication: true,
      count: 1,
    });
    await rig.pass();
    expect(rig.emulator.dlq.size).toBe(1);
    // Due again at once instead of after ten minutes.
    const { ledger, passes } = rig.drain.source;
    await ledger.park([{ dlqId: id!, reason: "refused", attempt: 0 }], {
      drain: rig.drain.config.name,
      rulesHash: rig.drain.config.rulesHash,
      token: null,
    });
    await ledger.release([id!]);
    await passes.forceFull(rig.drain.config.name);
    await rig.pass();
    await rig.emulator.idle();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(rig.receiver.deliveries).toHaveLength(1);
  });
});
