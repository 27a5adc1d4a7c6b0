import { describe, expect, it } from "vitest";
import { start } from "../../../../support/command.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../../support/plan-stand.ts";
import { createReceiver, type Receiver } from "../../../../support/receiver.ts";
import { expectTold } from "../../../../support/cli.ts";
import { useRedis } from "../../../../support/redis.ts";
import { onTestFinished } from "vitest";

const redis = useRedis();
const by = ["--by", "ada", "--reason", "INC-7: try the fix", "--yes"];
const all = outageDocument.replace("    select: { topicName: orders }\n", "");

async function setUp(document = all): Promise<PlanStand & { readonly test: Receiver }> {
  const test = await createReceiver();
  onTestFinished(() => test.close());
  return { ...(await createPlanStand(redis.url(), { document })), test };
}

const copyTo = ({ run, file }: PlanStand, to: string, ...more: readonly string[]) =>
  run(["apply", file, "--to", to, "--keep", "--json", ...by, ...more]);

async function keysOf(stand: PlanStand, part: string): Promise<number> {
  const pattern = `${stand.env["REDRIVER_REDIS_KEY_PREFIX"]}*${part}*`;
  return ((await redis.fresh().command("KEYS", pattern)) as readonly string[]).length;
}

describe("a copy of a plan's selection", () => {
  it("goes to the test target with its mark alone, and leaves letters, ledger and counts as they are", async () => {
    const stand = await setUp();
    const [first = ""] = stand.seed(120, {
      callback: `${stand.receiver.url}/callback`,
      failureCallback: `${stand.receiver.url}/failed`,
      method: "PUT",
      header: { "X-Own": ["1"] },
      maxRetries: 5,
    });
    await stand.plan();
    const { out, exitCode } = await copyTo(stand, stand.test.url);
    expect(JSON.parse(out)).toEqual([
      { v: 1, drain: "orders", to: stand.test.url, planned: 120, copied: 120, left: 0, leftReasons: {} },
    ]);
    expect(exitCode).toBe(0);
    await expect.poll(() => stand.test.deliveries.length).toBe(120);
    const one = stand.test.deliveries.find(({ headers }) => headers["x-redriver-copy"] === first);
    expect(one).toMatchObject({ method: "PUT", path: "/orders", headers: { "x-own": "1" } });
    expect(one?.headers["x-redriver"]).toBeUndefined();
    expect(stand.emulator.dlq.size).toBe(120);
    expect(stand.receiver.deliveries).toEqual([]);
    expect(await keysOf(stand, ":ledger:entry:")).toBe(0);
    const accepted = stand.emulator.journal.entries("accepted");
    expect(accepted.every(({ deduplicationId }) => deduplicationId?.startsWith("redriver_t-"))).toBe(true);
    const history = await stand.run(["history", "--json", "--limit", "1000"]);
    expect(history.out).toMatch(
      new RegExp(
        `"act":"test-copy".*"by":"ada".*"why":"plan .*try the fix".*"hosts":.*"${new URL(stand.test.url).host}"`,
      ),
    );
    expect(history.out).not.toMatch(/"act":"(republish|published|delete)"/);
    // The plan itself is still to be applied, and sends the originals.
    await stand.apply();
    expect(stand.emulator.dlq.size).toBe(0);
    const originals = () => stand.receiver.deliveries.filter(({ path }) => path === "/orders").length;
    await expect.poll(originals).toBe(120);
  });

  it("that fails is dead with its mark, and no rule sends it on", async () => {
    const stand = await setUp();
    stand.test.answer = () => 503;
    stand.seed(3);
    await stand.plan();
    await copyTo(stand, stand.test.url);
    await expect.poll(() => stand.emulator.dlq.size).toBe(6);
    const isParked = async (): Promise<boolean> => {
      const { out } = await stand.run(["plan", "--all"]);
      return out.includes("park: test-copy 3") && /now +3 republish/.test(out);
    };
    await expect.poll(isParked, { timeout: 15_000, interval: 500 }).toBe(true);
  }, 30_000);

  it("obeys limits and the addresses that settings allow, and outlives lost answers without a second copy", async () => {
    const stand = await setUp(all.replace("perDay: none", "perDay: 5"));
    stand.seed(8);
    await stand.plan();
    stand.emulator.faults.add({ kind: "drop-answer", operation: "batch", count: 1 });
    const { out, exitCode } = await copyTo(stand, stand.test.url);
    expect(JSON.parse(out)).toMatchObject([{ copied: 5, left: 3, leftReasons: { "day-limit": 3 } }]);
    expect(exitCode).toBe(3);
    await expect.poll(() => stand.test.deliveries.length).toBe(5);
    expect(stand.emulator.journal.counts().accepted).toBe(5);

    const elsewhere = await copyTo(stand, "ftp://x");
    expectTold(elsewhere, 2, "expected scheme, host");
    const same = await copyTo(stand, new URL(stand.receiver.url).origin);
    expectTold(same, 2, "go there anyway");
    // Also if only its last page says so: nothing is copied before.
    stand.seed(1, { url: `${stand.test.url}/own` }, 30_000);
    stand.seed(150);
    await stand.plan();
    const last = await copyTo(stand, stand.test.url);
    expectTold(last, 2, "go there anyway");
    expect(stand.emulator.journal.counts().accepted).toBe(5);
    const alone = await stand.run(["apply", stand.file, "--to", stand.test.url, ...by]);
    expectTold(alone, 2, "go together");
    const forbidden = await createPlanStand(redis.url(), {
      document: all,
      env: { REDRIVER_PUBLISH_ALLOW_HOSTS: "127.0.0.1" },
    });
    forbidden.seed(2);
    await forbidden.plan();
    const refused = await copyTo(forbidden, "http://localhost:1");
    expect(JSON.parse(refused.out)).toMatchObject([
      { copied: 0, leftReasons: { "destination-not-allowed": 2 } },
    ]);
  });

  it("that is killed was sent once, in the history too; another run sends each again, and the originals stay", async () => {
    const stand = await setUp();
    const ids = stand.seed(1_000);
    await stand.plan();
    stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 300 });
    const { child, ended } = start(["apply", stand.file, "--to", stand.test.url, "--keep", ...by], stand.env);
    await expect.poll(() => stand.test.deliveries.length, { timeout: 60_000 }).toBeGreaterThan(200);
    child.kill("SIGKILL");
    await ended;
    await stand.emulator.idle();
    const times = (): Map<unknown, number> => {
      const seen = new Map<unknown, number>();
      for (const { headers } of stand.test.deliveries) {
        const id = headers["x-redriver-copy"];
        seen.set(id, (seen.get(id) ?? 0) + 1);
      }
      return seen;
    };
    const first = times();
    expect(first.size).toBeLessThan(ids.length);
    expect(new Set(first.values())).toEqual(new Set([1]));
    const { out: rows } = await stand.run(["history", "--act", "test-copy", "--json"]);
    const intended = [...rows.matchAll(/"count":(\d+),"source"/g)].reduce(
      (sum, [, many]) => sum + Number(many),
      0,
    );
    expect(intended).toBeGreaterThanOrEqual(first.size);
    expect(intended).toBeLessThanOrEqual(first.size + 100);
    stand.emulator.faults.clear();
    const { out } = await copyTo(stand, stand.test.url);
    expect(JSON.parse(out)).toMatchObject([{ planned: 1_000, copied: 1_000, left: 0 }]);
    await stand.emulator.idle();
    expect(ids.map((id) => times().get(id))).toEqual(ids.map((id) => 1 + (first.get(id) ?? 0)));
    expect(stand.emulator.dlq.size).toBe(1_000);
    expect(await keysOf(stand, ":ledger:entry:")).toBe(0);
  }, 120_000);
});
