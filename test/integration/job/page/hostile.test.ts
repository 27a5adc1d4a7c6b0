import { describe, expect, it } from "vitest";
import type { MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { BatchOutcome, ListQuery, MessageService } from "../../../../src/job/contracts/service.ts";
import { passWith } from "../../../support/pass-with.ts";
import { atOnce, createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";

const redis = useRedis();

/** A pass against the emulator with some answers replaced, as another service might give them. */
function passAnswered(rig: Rig, replaced: Partial<MessageService>) {
  const { clock, service } = rig.drain.source;
  const hasty = {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(Math.min(ms, 5), signal),
  };
  return passWith(rig, { clock: hasty, service: { ...service, ...replaced } });
}

describe("a service that registers the ids of what it turned away", () => {
  it.each<[string, BatchOutcome]>([
    ["429", { kind: "not-sent", why: "rate-limited", error: "slow down", retryAt: 0 }],
    ["404", { kind: "misconfigured", status: 404, error: "not here" }],
  ])("does not pass for one that published it: %s, then a hit", async (_name, turnedAway) => {
    const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
    rig.seed(5);
    await passAnswered(rig, { publish: () => Promise.resolve(turnedAway) });
    rig.drain.source.health.resume();
    const ids: string[] = [];
    const hits: MessageService["publish"] = (items, lastByteAllowed, signal) => {
      const sent = items.map(
        (text) =>
          (JSON.parse(textOfEncoded(text)) as { headers: Record<string, string> }).headers[
            "Upstash-Deduplication-Id"
          ],
      );
      ids.push(...sent.map(String));
      if (sent.some((id) => isNextSuffix(String(id))))
        return rig.drain.source.service.publish(items, lastByteAllowed, signal);
      const hit = { kind: "accepted", messageId: "msg_old" as MessageId, deduplicated: true } as const;
      return Promise.resolve({ kind: "answered", items: items.map(() => hit) });
    };
    await expect
      .poll(
        async () => {
          rig.advance(15_000);
          await passAnswered(rig, { publish: hits });
          return rig.emulator.dlq.size;
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(0);
    await rig.emulator.idle();
    // Deleted only after the next suffix was accepted for good, and each delivered once.
    expect(ids.filter(isNextSuffix)).toHaveLength(5);
    expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1, 1, 1]);
  });
});

describe("a listing", () => {
  it("that is in order of creation hides nothing that is in another order of entry", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
    const now = Date.now();
    const seedAt = (enteredAt: number, createdAt: number, responseStatus: number, count: number) =>
      rig.emulator.dlq.seed(
        Array.from({ length: count }, (_, index) => ({
          dlqId: `${enteredAt + index}-${responseStatus}`,
          createdAt: createdAt + index,
          url: `${rig.receiver.url}/hook`,
          responseStatus,
          body: `${responseStatus} ${index}`,
        })),
      );
    seedAt(now - 1_800_000, now - 7_200_000, 404, 120);
    seedAt(now - 3_600_000, now - 5_400_000, 503, 50);
    const all = await collectAll(rig);
    const byCreation = (query: ListQuery): Promise<{ records: typeof all; cursor?: string }> => {
      const from = query.fromDate ?? 0;
      const to = query.toDate ?? now;
      const fits = all.filter(({ dlqId }) => {
        const at = Number(String(dlqId).split("-")[0]);
        return at >= from && at <= to;
      });
      const start = Number(query.cursor ?? 0);
      const records = fits.slice(start, start + query.count);
      const isEnd = start + query.count >= fits.length;
      return Promise.resolve(isEnd ? { records } : { records, cursor: String(start + query.count) });
    };
    const result = await passAnswered(rig, { list: byCreation });
    expect(result).toMatchObject({ outcome: "complete", tally: { listed: 170, republished: 50, held: 120 } });
  });
});

const isNextSuffix = (id: string): boolean => /^redriver-\d+-\d+-2$/.test(id);

async function collectAll(rig: Rig) {
  const { service } = rig.drain.source;
  const first = await service.list({ select: {}, count: 100 });
  const rest =
    first.cursor === undefined
      ? { records: [] }
      : await service.list({ select: {}, count: 100, cursor: first.cursor });
  return [...first.records, ...rest.records].toSorted(
    (one, other) => Number(one["createdAt"]) - Number(other["createdAt"]),
  );
}
