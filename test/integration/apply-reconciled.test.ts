import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import type { DrainName } from "../../src/ports/ids.ts";
import type { MessageService } from "../../src/ports/service.ts";
import { applyPlan } from "../../src/redrive/plan/apply.ts";
import { checkPlan } from "../../src/redrive/plan/check-plan.ts";
import { planDrain } from "../../src/redrive/plan/plan-drain.ts";
import { toPlanRecord } from "../../src/redrive/plan/plan-record.ts";
import { createSelection } from "../../src/redrive/plan/selection.ts";
import { freezeRange } from "../../src/redrive/plan/survey.ts";
import { createRig } from "../support/rig.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;
const signals = { signal: never, stopping: never };

/** Takeover after 17 s, horizon 43 s: the shortest that the settings allow. */
const shortLimits = {
  "ledger.sendBy": "1s",
  "ledger.networkDelay": "1s",
  "ledger.maxPageAge": "60s",
  "ledger.settleGateAge": "60s",
  "service.batchTimeout": "1s",
};

test(
  "a sweep ends what an apply on a plan-mode drain left in doubt, without a double",
  { timeout: 60_000 },
  async () => {
    const options = {
      redisUrl: redis.url(),
      mode: "plan",
      settings: shortLimits,
      source: "{ dedupWindow: 90s }",
    } as const;
    const dying = await createRig(options);
    const other = await createRig({ ...options, twinOf: dying });
    dying.seed(2);
    const { drain } = dying;
    const range = await freezeRange(drain, never);
    const selection = createSelection();
    await planDrain({
      drain,
      range,
      filter: {},
      show: "masked",
      signals,
      onRecord: (record) => {
        selection.add(toPlanRecord(drain, record, "masked"));
        return Promise.resolve();
      },
      onPage: () => undefined,
    });
    const check = await checkPlan(drain, range, selection.of("main" as DrainName), signals, () => undefined);

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
    void applyPlan({
      drain: { ...drain, source: { ...drain.source, service: silent } },
      range,
      open: check.open,
      signals,
      order: {},
      pausedBy: () => Promise.resolve(null),
      onPage: () => undefined,
    });
    await published;
    await dying.emulator.idle();
    expect(other.receiver.deliveries).toHaveLength(2);

    await expect
      .poll(
        async () => {
          await other.sweep();
          return other.emulator.dlq.size;
        },
        { timeout: 40_000, interval: 1_000 },
      )
      .toBe(0);
    await other.emulator.idle();
    expect(other.receiver.deliveries).toHaveLength(2);
    expect(other.eventsOf("double:declared")).toEqual([]);
  },
);
