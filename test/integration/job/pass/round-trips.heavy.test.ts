import { expect, test } from "vitest";
import { runListingChecks } from "../../../../src/job/lanes/listing-checks.ts";
import { parseInfo } from "../../../../src/job/redis/judge-server.ts";
import { atOnce, createRig, oneCursor, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

/** How often Redis has written answers. What comes in one flush is answered in one. */
async function answersWritten({ core }: Rig): Promise<number> {
  const info = parseInfo(await core.redis.command("INFO", "stats"));
  return Number(info.get("total_writes_processed"));
}

/** Counts from now on what goes by time, at most so often in a second. A slow machine does more of it. */
function countByTime({ core }: Rig): () => number {
  const { run } = core.redis;
  const startedAt = performance.now();
  const perSecond = { "source-pauses": 1, "call-shares:exchange": 1, "passes:progress": 2, "pauses:all": 1 };
  const counts = new Map(Object.keys(perSecond).map((name) => [name, 0]));
  core.redis.run = (script, ...call) => {
    const count = counts.get(script.name);
    if (count !== undefined) counts.set(script.name, count + 1);
    return run(script, ...call);
  };
  return () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    return Object.entries(perSecond).reduce((sum, [name, most]) => {
      return sum + Math.max(0, Math.min(counts.get(name) ?? 0, most * seconds) - 1);
    }, 0);
  };
}

test.each([
  ["without lanes", atOnce, 5],
  ["with an open lane", `    lane: { canary: 100, watch: 10s, haltAt: 100% }${atOnce}`, 7],
])(
  "a drain of full pages, %s, costs few round trips to Redis for a hundred messages",
  async (_, drain, most) => {
    const rig = await createRig({ redisUrl: redis.url(), drain, ...oneCursor });
    // A lane opens, the source is bound, and Redis learns the scripts.
    rig.seed(100);
    await rig.pass();
    await rig.emulator.idle();
    if (most > 5) rig.advance(10_100);
    await runListingChecks(rig.drain.source, new AbortController().signal);
    rig.seed(1);
    await rig.fullPass();
    const listed = rig.callsOf("list");
    await rig.sweep();
    expect(rig.callsOf("list")).toBe(listed);
    rig.seed(2_000);
    const before = await answersWritten(rig);
    const byTime = countByTime(rig);
    const result = await rig.fullPass();
    expect(result).toMatchObject({ tally: { republished: 2_000, deleted: 2_000 } });
    expect(((await answersWritten(rig)) - before - byTime()) / 20).toBeLessThanOrEqual(most);
  },
);
