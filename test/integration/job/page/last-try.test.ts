import { describe, expect, it } from "vitest";
import { RedriverError, type ErrorCode } from "../../../../src/job/contracts/errors.ts";
import { workWindow } from "../../../../src/job/pass/work-window.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

const lastTry = { lastTry: true, awaitsRedis: true } as const;

/** The drain with a source whose listings fail so, and are not asked for again in place. */
function failing({ drain }: Rig, code: ErrorCode): DrainRuntime {
  const { source } = drain;
  const list = (): Promise<never> => Promise.reject(new RedriverError(code, "because"));
  const health = { ...source.health, takeRetry: () => false };
  return { ...drain, source: { ...source, health, service: { ...source.service, list } } };
}

const main = ({ drain }: Rig) => drain.source.passes.facts(drain.config.name);

describe("the last try of a window", () => {
  it("that fails ends it: its pass is partial, and the next one lists everything that it was to list", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(3);
    const work = await openWindow(rig, lastTry);
    const unavailable = failing(rig, "service-unavailable");
    await expect(workWindow(unavailable, { ...work, lastTry: false })).rejects.toMatchObject({
      code: "service-unavailable",
    });
    expect(rig.eventsOf("window:failed")).toEqual([]);
    const { verdict } = await workWindow(unavailable, work);
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "partial", tally: { listed: 0 } });
    expect(rig.eventsOf("window:failed")).toMatchObject([{ code: "service-unavailable" }]);
    expect(await main(rig)).toMatchObject({ openPass: null, lastOutcome: "partial", lastSuccessAt: null });
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { listed: 3, republished: 3 } });
    expect(rig.emulator.dlq.size).toBe(0);
  });

  it("that Redis failed was not the last: the window stays as it is, and is worked when Redis is back", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(3);
    const work = await openWindow(rig, lastTry);
    await expect(workWindow(failing(rig, "redis-unavailable"), work)).rejects.toMatchObject({
      code: "redis-unavailable",
    });
    expect(rig.eventsOf("window:failed")).toEqual([]);
    expect(await main(rig)).toMatchObject({ openPass: { passId: work.passId } });
    const { verdict } = await workWindow(rig.drain, work);
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "complete", tally: { republished: 3 } });
  });
});
