import { describe, expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import { passWith } from "../../../support/pass-with.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** A pass of which each delete is told before it is sent. */
async function passTellingDeletes(rig: Rig, told: (ids: readonly DlqId[]) => Promise<void>): Promise<void> {
  const { service } = rig.drain.source;
  const remove: typeof service.remove = async (ids, signal) => {
    await told(ids);
    return service.remove(ids, signal);
  };
  await passWith(rig, { service: { ...service, remove } });
}

describe("a delete", () => {
  it("is sent only when the ledger has the publication of each of its ids", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(120);
    const states: string[] = [];
    await passTellingDeletes(rig, async (ids) => {
      const { views } = await rig.drain.source.ledger.peek(ids);
      states.push(...views.map(({ state }) => state));
    });
    expect(states).toHaveLength(120);
    expect(new Set(states)).toEqual(new Set(["published"]));
  });

  it("of what a come-back alone has proved, and that deletes fewer, is proven by the next sweep", async () => {
    // Here no window of entry shows anything: only its message, or a full pass, proves a dead letter gone.
    const rig = await createRig({ redisUrl: redis.url(), emulator: { dateFilter: "created" } });
    const ids = rig.seed(3, { createdAt: Date.now() - 3_600_000 }) as DlqId[];
    const { ledger, book } = rig.drain.source;
    await book.learnDates("created");
    const fact = { as: "msg_x" as MessageId, attempt: 1, deletePending: false, drain: null, messageId: null };
    await ledger.published(ids.map((dlqId) => ({ ...fact, dlqId })));
    await passTellingDeletes(rig, () => Promise.resolve(void rig.emulator.dlq.remove([ids[0]!])));
    expect(rig.eventsOf("delete:short")).toMatchObject([{ asked: 3, deleted: 2 }]);
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 3 });
    await rig.sweep();
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 0 });
  });

  it("that deletes fewer than asked leaves all of its ids pending, and what is listed again is not published again", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const ids = rig.seed(3) as DlqId[];
    // Somebody else deletes one of them right before.
    await passTellingDeletes(rig, () => {
      rig.emulator.dlq.remove([ids[0]!]);
      return Promise.resolve();
    });
    const { views } = await rig.drain.source.ledger.peek(ids);
    expect(views.map(({ state }) => state)).toEqual(["published", "published", "published"]);
    expect(rig.eventsOf("delete:short")).toMatchObject([{ asked: 3, deleted: 2 }]);
    expect(rig.emulator.journal.counts().accepted).toBe(3);
  });
});
