import { describe, expect, it } from "vitest";
import { createPlanStand, outageDocument, type PlanStand } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const guarded = `${outageDocument.replace(
  "minAge: 1s",
  'minAge: 1s\n    guards: [{ index: catalog, hold: "pending_index_count > 100" }]',
)}indexes:
  catalog:
    id: catalog-id
    credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }
    schedule: { every: 1m }
`;

async function createStand(pendingVectors: number): Promise<PlanStand> {
  const stand = await createPlanStand(redis.url(), {
    document: guarded,
    emulator: {
      indexes: ["catalog-id"],
      statsCredentials: { username: "index-user", password: "index-password" },
    },
    env: { INDEX_USER: "index-user", INDEX_PASSWORD: "index-password" },
  });
  stand.emulator.putIndex("catalog-id", { pending_index_count: pendingVectors });
  stand.seed(30);
  return stand;
}

describe("a guard without a daemon that reads its index", () => {
  it("lets a drain and an apply go on when the index says so", async () => {
    const stand = await createStand(7);
    await stand.plan("--limit", "20");
    expect((await stand.apply()).exitCode).toBe(0);
    expect(stand.emulator.journal.counts().accepted).toBe(20);
    stand.document(guarded.replace("mode: plan", "mode: live"));
    expect((await stand.run(["drain", "--all", "--yes"])).exitCode).toBe(0);
    expect(stand.emulator.journal.counts().accepted).toBe(30);
  });

  it("holds both when the index says so, and when it cannot be read", async () => {
    const stand = await createStand(101);
    stand.document(guarded.replace("mode: plan", "mode: live"));
    await stand.run(["drain", "--all", "--yes"]);
    const silent = await createStand(7);
    silent.document(guarded.replace("mode: plan", "mode: live").replace("catalog-id", "unknown-id"));
    const { err } = await silent.run(["drain", "--all", "--yes"]);
    expect(err).toContain("catalog");
    for (const { emulator } of [stand, silent]) {
      expect(emulator.journal.counts().accepted).toBe(0);
      expect(emulator.dlq.size).toBe(30);
    }
  });
});
