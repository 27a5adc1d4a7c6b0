import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { createJobStand, type JobStand } from "../../../support/job-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;

const drain = `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    beforeExpiry: { within: 12h, then: archive }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** A source with deletes that are pending, whose next batch is refused. Nothing is scheduled yet. */
async function haltedStand(refusal: {
  readonly status: number;
}): Promise<JobStand & { readonly dir: string }> {
  const dir = createFolder({}).path;
  const stand = await createJobStand({
    redisUrl: redis.url(),
    drain,
    source: "{ retention: 3d, census: 1s }",
    document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`,
  });
  const { rig, queue, events } = stand;
  rig.seed(5);
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
  await rig.pass();
  rig.emulator.faults.add({ kind: "status", operation: "batch", name: "refusal", ...refusal });
  rig.seed(12, {}, 30_000);
  await stand.start();
  if (refusal.status === 400) {
    // What was accepted a moment ago keeps a row of refusals from halting it.
    const { health } = stand.live.current().sources.get(rig.drain.source.config.id)?.runtime ?? {};
    health?.halt("service-refuses-everything", "ten in a row", "batch");
  }
  await queue.addTick("main" as DrainName, Date.now());
  await expect.poll(() => events.of("source:halted").length, { timeout: 30_000, interval: 50 }).toBe(1);
  return { ...stand, dir };
}

const every = { kind: "every", everyMs: 300 } as const;

it.each([
  ["unauthorised", { status: 403 }],
  ["service-refuses-everything", { status: 400 }],
])(
  "a source whose batches are refused is swept, counted and copied while its publishing is halted: %s",
  async (code, refusal) => {
    const { rig, queue, events, live, dir } = await haltedStand(refusal);
    const { emulator, drain: twin } = rig;
    const source = twin.source.config.id;
    expect(events.of("source:halted")).toMatchObject([{ code, callClass: "batch" }]);
    expect(live.current().sources.get(source)?.runtime.health.current("batch").state).toBe("halted");
    const before = rig.callsOf("batch");

    // Some is about to expire now, and no pass lists it, since none of its schedule comes.
    const near = rig.seed(2, {}, 71 * hourMs);
    expect(await twin.source.ledger.summary()).toMatchObject({ pendingDelete: 5 });
    await queue.applySchedules([
      { id: `sweep:${source}`, schedule: every, job: { kind: "sweep", source } },
      { id: `census:${source}`, schedule: every, job: { kind: "census", source } },
    ]);
    await expect.poll(() => emulator.dlq.size, { timeout: 30_000, interval: 50 }).toBe(14);
    await expect
      .poll(() => twin.source.ledger.summary(), { timeout: 30_000 })
      .toMatchObject({ pendingDelete: 0 });
    await expect.poll(() => events.of("archive:copied").length, { timeout: 30_000 }).toBe(1);
    expect([...(await readArchive(dir)).ids].toSorted()).toEqual(near.toSorted());
    await expect
      .poll(() => events.of("census:taken").at(-1), { timeout: 30_000 })
      .toMatchObject({ depth: 14, expiringUnarchived: 0 });

    // And a pass lists and decides, and holds what it would publish.
    await queue.addTick("main" as DrainName, Date.now());
    await expect.poll(() => events.of("pass:closed").length, { timeout: 30_000 }).toBeGreaterThan(1);
    expect(events.of("pass:closed").at(-1)).toMatchObject({ outcome: "complete" });
    expect(rig.callsOf("batch")).toBe(before);
  },
);
