import { describe, expect, it } from "vitest";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const listOnce = ({ source }: Rig["drain"]): Promise<unknown> =>
  source.service.list({ select: {}, count: 1 });

/** The requests that the emulator answered or cut, in order. */
const callsOf = ({ emulator }: Rig) => emulator.journal.entries("request");

describe("two replicas of one source", () => {
  it("leave it alone after a 429 to either until the reset, and call it within 2 s after", async () => {
    const one = await createRig({ redisUrl: redis.url() });
    const two = await createRig({ redisUrl: redis.url(), twinOf: one });
    one.seed(250);
    const fault = { status: 429, limit: "burst", resetInS: 4, count: 1 } as const;
    one.emulator.faults.add({ kind: "status", operation: "list", ...fault });
    await expect(listOnce(one.drain)).rejects.toMatchObject({ code: "rate-limited" });
    await Promise.all([one.pass(), two.pass(), two.sweep()]);
    await Promise.all([one.pass(), two.pass()]);
    expect(one.emulator.dlq.size).toBe(0);

    const calls = callsOf(one);
    const refused = calls.findIndex(({ status }) => status === 429);
    const first = calls[refused + 1]!;
    // The reset has whole seconds.
    expect(first.at - calls[refused]!.at).toBeGreaterThanOrEqual(3_000);
    expect(first.at - calls[refused]!.at).toBeLessThan(4_000 + 2_000);
    expect(calls.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it("waits in a sweep for the reset after a 429 to its delete: a pause that was asked for is no failure", async () => {
    const one = await createRig({ redisUrl: redis.url() });
    one.seed(5);
    one.emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
    await one.pass();
    one.emulator.faults.add({ kind: "status", operation: "delete", status: 429, limit: "burst", count: 1 });
    await one.sweep();
    expect(one.emulator.dlq.size).toBe(0);
    expect(callsOf(one).flatMap(({ operation, status }) => (operation === "delete" ? [status] : []))).toEqual(
      [503, 429, 200],
    );
    const [refused, next] = callsOf(one)
      .filter(({ operation }) => operation === "delete")
      .slice(1);
    // The reset has whole seconds, and the least wait is one.
    expect(next!.at - refused!.at).toBeGreaterThanOrEqual(1_000);
  });

  it("stop hammering a service that does not answer, and come back to it by one probe", async () => {
    const one = await createRig({ redisUrl: redis.url() });
    const two = await createRig({ redisUrl: redis.url(), twinOf: one });
    one.seed(30);
    one.emulator.faults.add({ kind: "status", operation: "any", status: 503, name: "down" });
    const startedAt = Date.now();
    const failures: unknown[] = [];
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([one, two].map((rig) => rig.sweep().catch((error: unknown) => failures.push(error))));
      await Promise.all(
        [one, two].map(({ drain }) => listOnce(drain).catch((error: unknown) => failures.push(error))),
      );
    }
    expect(failures.length).toBeGreaterThanOrEqual(40);
    const tookMs = Date.now() - startedAt;
    // Five in a row, one a rest after that: 1, 2, 4, 8 s …
    const rests = Math.ceil(Math.log2(tookMs / 1_000 + 1));
    expect(callsOf(one).length).toBeLessThanOrEqual(5 + 4 + rests);
    one.emulator.faults.remove("down");
    await expect
      .poll(
        () =>
          one.pass().then(
            () => one.emulator.dlq.size,
            () => -1,
          ),
        { timeout: 40_000, interval: 500 },
      )
      .toBe(0);
    expect(one.eventsOf("source:waiting").length).toBeGreaterThan(0);
  }, 120_000);
});
