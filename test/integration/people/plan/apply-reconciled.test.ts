import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import type { MessageService } from "../../../../src/job/contracts/service.ts";
import { planHere, shortLimits } from "../../../support/planned.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

test(
  "a sweep ends what an apply on a plan-mode drain left in doubt, without a double",
  { timeout: 60_000 },
  async () => {
    const options = { redisUrl: redis.url(), mode: "plan", ...shortLimits } as const;
    const dying = await createRig(options);
    const other = await createRig({ ...options, twinOf: dying });
    dying.seed(2);
    const { drain } = dying;
    const apply = await planHere(drain);

    // The process ends right after its POST was accepted: nobody hears the answer.
    const { service } = drain.source;
    const heard = new EventEmitter();
    const published = once(heard, "published");
    const silent: MessageService = {
      list: service.list.bind(service),
      remove: service.remove.bind(service),
      clockOffsetMs: service.clockOffsetMs.bind(service),
      publish: async (...call) => {
        await service.publish(...call);
        heard.emit("published");
        return new Promise(() => undefined);
      },
    };
    void apply({ ...drain, source: { ...drain.source, service: silent } });
    await published;
    await dying.emulator.idle();
    expect(other.receiver.deliveries).toHaveLength(2);

    const left = async (): Promise<number> => {
      other.advance(5_000);
      await other.sweep();
      return other.emulator.dlq.size;
    };
    await expect.poll(left, { timeout: 40_000, interval: 50 }).toBe(0);
    await other.emulator.idle();
    expect(other.receiver.deliveries).toHaveLength(2);
    expect(other.eventsOf("double:declared")).toEqual([]);
  },
);
