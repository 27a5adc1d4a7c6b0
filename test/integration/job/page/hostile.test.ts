import { expect, it } from "vitest";
import type { ListQuery, MessageService } from "../../../../src/job/contracts/service.ts";
import { passWith } from "../../../support/pass-with.ts";
import { atOnce, createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

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

it("a listing that is in order of creation hides nothing that is in another order of entry", async () => {
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
