import { describe, expect, it } from "vitest";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { workWindow } from "../../../../src/job/pass/work-window.ts";
import { auditOf } from "../../../support/audit-of.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { atOnce, createRig, oneCursor, never, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const seeded = 250;

/** What the audit has, and so `redriver history` shows. */
const publishedBy = async ({ core }: Rig): Promise<number> =>
  (await auditOf(core, "published")).flatMap(({ records }) => records).length;

/** A pass of one window, whose worker published a page or two and handed the window back, as at a shutdown. */
async function handedBack() {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce, ...oneCursor });
  rig.seed(seeded);
  const work = await openWindow(rig);
  const stop = new AbortController();
  const stopped = workWindow(rig.drain, { ...work, stopping: stop.signal, onPage: () => stop.abort() });
  await expect(stopped).rejects.toMatchObject({ code: "stopped" });
  const done = await publishedBy(rig);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(seeded);
  return { rig, work, done };
}

describe("pass:closed tells what the audit tells, of a pass", () => {
  it("with a window that another worker took over", async () => {
    const { rig, work } = await handedBack();
    await workWindow(rig.drain, work);
    expect(await publishedBy(rig)).toBe(seeded);
    expect(rig.eventsOf("pass:closed")).toMatchObject([
      { outcome: "complete", counts: { listed: seeded, republished: seeded, deleted: seeded } },
    ]);
  });

  it("that was abandoned", async () => {
    const { rig, work, done } = await handedBack();
    rig.advance(rig.core.settings.passes.abandonAfterMs + 1_000);
    await rig.pass();
    expect(rig.eventsOf("pass:closed")[0]).toMatchObject({
      passId: work.passId,
      outcome: "abandoned",
      counts: { listed: done, republished: done, deleted: done },
    });
  });

  it("that a person stopped in its process", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: atOnce, ...oneCursor });
    rig.seed(seeded);
    const stop = new AbortController();
    const signals = { signal: never, stopping: stop.signal };
    const stopped = runPassInProcess(rig.drain, rig.core.settings.passes, signals, () => stop.abort());
    await expect(stopped).rejects.toMatchObject({ code: "stopped" });
    const published = await publishedBy(rig);
    expect(published).toBeGreaterThan(0);
    expect(rig.eventsOf("pass:closed")).toMatchObject([
      { outcome: "partial", counts: { republished: published, deleted: published } },
    ]);
  });
});
