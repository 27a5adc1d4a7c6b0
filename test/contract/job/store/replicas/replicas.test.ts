import { describe, expect, test } from "vitest";
import { createRedisReplicas } from "../../../../../src/job/store/replicas/redis-replicas.ts";
import type { SourceId } from "../../../../../src/job/contracts/ids.ts";
import type { ReplicaRecord } from "../../../../../src/job/contracts/replicas.ts";
import { startOfTime, withMovedTime } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

function create() {
  const { redis: moved, advance } = withMovedTime(redis.fresh());
  return { replicas: createRedisReplicas(moved), advance };
}

type Said = Omit<ReplicaRecord, "seenAt">;
const saying = (replica: string, changes: Partial<Said> = {}): Said => ({
  replica,
  version: "1.2.3",
  documentHash: "abc123",
  adoptedAt: startOfTime - 5_000,
  rejected: null,
  resting: [],
  ...changes,
});

describe("the registry of replicas", () => {
  test("answers what each has said last, and when, by name", async () => {
    const { replicas, advance } = create();
    expect(await replicas.all()).toEqual([]);
    const troubled = {
      rejected: 'drains.yaml:7:12 drains.orders: unknown key "x}"\nand another',
      resting: [{ source: "eu" as SourceId, state: "halted", code: "unauthorised" }],
    } as const;
    await replicas.announce(saying("b"));
    await replicas.announce(saying("a", { documentHash: "old" }));
    await advance(1_000);
    await replicas.announce(saying("a", troubled));
    expect(await replicas.all()).toEqual([
      { ...saying("a", troubled), seenAt: startOfTime + 1_000 },
      { ...saying("b"), seenAt: startOfTime },
    ]);
  });

  test("forgets one that has said nothing for a minute, and no other", async () => {
    const { replicas, advance } = create();
    await replicas.announce(saying("silent"));
    await advance(30_000);
    await replicas.announce(saying("living"));
    await advance(29_999);
    expect((await replicas.all()).map(({ replica }) => replica)).toEqual(["living", "silent"]);
    await advance(1);
    expect((await replicas.all()).map(({ replica }) => replica)).toEqual(["living"]);
    await replicas.announce(saying("silent"));
    expect((await replicas.all()).map(({ replica }) => replica)).toEqual(["living", "silent"]);
  });

  test("forgets one that leaves, at once; leaving twice is leaving", async () => {
    const { replicas } = create();
    await replicas.announce(saying("a"));
    await replicas.announce(saying("b"));
    await replicas.leave("a");
    await replicas.leave("a");
    expect((await replicas.all()).map(({ replica }) => replica)).toEqual(["b"]);
  });
});
