import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askRedis } from "../../../demo/ask-redis.ts";
import { findRedisServer, type FoundRedis } from "../../../demo/find-or-start-redis.ts";
import { isAlive, toPids, toRows, useDemos, type DemoEnded } from "../../../../test/support/demo.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const startDemo = useDemos();

/** What would send the demo to somebody's real service, or keep the daemon from starting at all. */
const hostile = {
  REDRIVER_SERVICE_URL: "http://127.0.0.1:1",
  REDRIVER_SERVICE_TOKEN: "hostile",
  REDRIVER_REDIS_URL: "redis://127.0.0.1:1",
  REDRIVER_DRAINS_FILE: "/nowhere/drains.yaml",
  REDRIVER_LOG_LEVEL: "shout",
  REDRIVER_NO_SUCH: "1",
  QSTASH_URL: "http://127.0.0.1:1",
  QSTASH_TOKEN: "hostile",
  UPSTASH_EMAIL: "hostile",
  UPSTASH_API_KEY: "hostile",
};

describe("redriver demo, with hostile settings in its environment and a Redis that it is given", () => {
  let redis: FoundRedis;
  let run: DemoEnded;

  beforeAll(async () => {
    const cacheDir = path.join(root, ".cache/redis");
    redis = await findRedisServer({ env: { PATH: process.env["PATH"] }, cacheDir, say: () => undefined });
    const demo = startDemo(["--messages", "60"], { ...hostile, REDRIVER_TEST_REDIS_URL: redis.url });
    run = await demo.finished;
  }, 240_000);
  afterAll(() => redis.stop());

  it("ends with 0", () => {
    expect(run).toMatchObject({ code: 0 });
  });

  it("shows that everything was delivered exactly once and the rest is held back", () => {
    const summary = toRows(run.stdout);
    expect(summary).toMatchObject({
      published: "60",
      held: "1",
      parked: "5",
      // 54 after a redrive, and 9 at once by the healthy endpoint of the URL Group.
      "delivered exactly once": "63",
      lost: "0",
      doubled: "0",
    });
    expect(Number(summary["republished"])).toBeGreaterThanOrEqual(54);
    expect(summary["deleted"]).toBe(summary["republished"]);
    expect(Number(summary["listed"])).toBeGreaterThanOrEqual(60);
    expect(summary["metrics"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  });

  it("keeps progress apart from the summary", () => {
    expect(run.stderr).toContain("the receiver has recovered");
    expect(run.stdout).not.toContain("the receiver has recovered");
  });

  it("leaves no process, no file and no key behind", async () => {
    expect(toPids(run.stderr)).toHaveLength(2);
    expect(toPids(run.stderr).filter(isAlive)).toEqual([]);
    expect(await readdir(run.tmpDir)).toEqual([]);
    expect(await askRedis(redis.url, ["DBSIZE"], 5_000)).toBe(":0");
  });
});

describe("redriver demo --json", () => {
  it("prints its summary as one line, with the version of its form first", async () => {
    const { code, stdout } = await startDemo(["--messages", "20", "--json"]).finished;
    expect(code).toBe(0);
    const summary = JSON.parse(stdout) as object;
    expect(summary).toMatchObject({ v: 1, published: 20, lost: 0, doubled: 0 });
    expect(stdout).toBe(`${JSON.stringify(summary)}\n`);
  }, 240_000);
});

describe("redriver demo, ended from outside", () => {
  it("stops everything on Ctrl-C and exits with 3", async () => {
    const demo = startDemo(["--messages", "40", "--keep"]);
    await demo.said("the receiver is down");
    demo.process.kill("SIGINT");
    const run = await demo.finished;
    const { stderr, tmpDir } = run;
    expect(run).toMatchObject({ code: 3 });
    expect(toPids(stderr)).toHaveLength(2);
    expect(toPids(stderr).filter(isAlive)).toEqual([]);
    expect(await readdir(tmpDir)).toEqual([]);
  }, 120_000);

  it("takes its processes with it when it is killed", async () => {
    const demo = startDemo(["--messages", "40"]);
    await demo.said("the receiver is down");
    demo.process.kill("SIGKILL");
    const { stderr } = await demo.finished;
    const pids = toPids(stderr);
    expect(pids).toHaveLength(2);
    try {
      await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
    } finally {
      for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL");
    }
  }, 120_000);

  it("fails, and says why, when one of its processes ends", async () => {
    const demo = startDemo(["--messages", "40"]);
    await demo.said("the receiver is down");
    const [emulator] = toPids(demo.stderr());
    process.kill(emulator ?? 0, "SIGKILL");
    const { code, stderr } = await demo.finished;
    expect(code).toBe(1);
    expect(stderr).toContain("the emulator ended with SIGKILL");
    expect(toPids(stderr).filter(isAlive)).toEqual([]);
  }, 120_000);
});

describe("redriver demo --messages", () => {
  it.each(["0", "-1", "1.5", "200001", "many"])("refuses %s and starts nothing", async (messages) => {
    const { code, stderr, stdout } = await startDemo([`--messages=${messages}`]).finished;
    expect(code).toBe(2);
    expect(stderr).toContain("expected a whole number from 1 to 200000");
    expect(stdout).toBe("");
  });
});
