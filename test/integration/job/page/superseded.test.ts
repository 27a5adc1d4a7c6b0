import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { workPage } from "../../../../src/job/page/work-page.ts";
import { createArchiveRig, kept, newDir } from "../../../support/archive-rig.ts";
import { createPlanStand } from "../../../support/plan-stand.ts";
import { createRig, hourMs, never, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const newestOnly = (then: string) => `    rules:
      - { name: only-the-newest, when: { superseded: { body: /order/id } }, then: ${then} }
      - { name: only-the-last-run, when: { superseded: true }, then: ${then} }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

const order = (id: unknown, state: number) => ({ body: JSON.stringify({ order: { id, state } }) });

/** Listings of a pass over 950 letters in plan mode. */
const listsOf = async (rules: string) => {
  const rig = await createRig({ redisUrl: redis.url(), mode: "plan", drain: `\n${rules}` });
  rig.seed(950, order("a", 1));
  await rig.pass();
  return rig.callsOf("list");
};

/** Letters of so many orders, with many states each. Answers the newest of each. */
function seedOrders(rig: Rig, orders: number, states: number): ReadonlySet<string> {
  const newest: string[] = [];
  for (let state = 1; state <= states; state += 1) {
    for (let id = 0; id < orders; id += 1) {
      const [dlqId = ""] = rig.seed(1, order(id, state), (10 - state) * hourMs + id);
      newest[id] = dlqId;
    }
  }
  return new Set(newest);
}

const bodies = (rig: Rig) => rig.receiver.deliveries.map(({ body }) => body).toSorted();

test.each(["earliestFirst", "latestFirst"] as const)(
  "older states are archived and dropped by the newest's id, and each newest goes once: %s",
  async (listed) => {
    const dir = newDir();
    const rig = await createArchiveRig(redis.url(), dir, newestOnly("drop"), { emulator: { order: listed } });
    const newest = seedOrders(rig, 80, 4);
    const loose = rig.seed(3, { body: "no JSON" });
    const runs = rig.seed(3, { scheduleId: "nightly", body: "" });
    expect(await rig.pass()).toMatchObject({
      outcome: "complete",
      tally: { republished: 84, deleted: 326 },
    });
    await rig.emulator.idle();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(rig.receiver.deliveries).toHaveLength(84);
    expect(
      bodies(rig)
        .filter((body) => body.includes("order"))
        .every((body) => body.includes('"state":4')),
    ).toBe(true);
    const entries = await kept(dir);
    expect(entries).toHaveLength(242);
    const gone = new Set<unknown>(entries.map(({ dlqId }) => dlqId));
    expect([...newest, ...loose, ...runs.slice(2)].filter((id) => gone.has(id))).toEqual([]);
    const dropped = rig.recordsOf("record:decided").filter(({ decision }) => decision.then === "drop");
    for (const { decision } of dropped) {
      const by = "by" in decision ? (decision.by ?? "") : "";
      expect([decision.reason, newest.has(by) || by === runs[2]]).toEqual(["superseded", true]);
    }
  },
);

test("older states are held as superseded; once the newest is gone, the next one goes", async () => {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `\n    minAge: 1s\n    attempts: { max: 5, wait: [1s] }\n${newestOnly("hold")}`,
  });
  const [oldest = ""] = rig.seed(1, order("a", 1), 3 * hourMs);
  const [middle = ""] = rig.seed(1, order("a", 2), 2 * hourMs);
  rig.seed(1, order("a", 3), hourMs);
  expect(await rig.pass()).toMatchObject({
    tally: { republished: 1, held: 2, reasons: { held: { superseded: 2 } } },
  });
  // Nothing tells a pass that lists new letters alone.
  expect(await rig.fullPass()).toMatchObject({ tally: { republished: 1, held: 1 } });
  await rig.emulator.idle();
  expect(bodies(rig)).toEqual([order("a", 2).body, order("a", 3).body]);
  const held = rig.recordsOf("record:decided").filter(({ dlqId }) => dlqId === oldest);
  expect(held.at(-1)?.decision).toMatchObject({ then: "hold", reason: "superseded", by: middle });
});

test("whoever has not listed the queue drops and sends nothing that rests on newer letters", async () => {
  const rig = await createArchiveRig(redis.url(), newDir(), newestOnly("drop"));
  rig.seed(2, order("a", 1));
  rig.seed(1, { responseStatus: 404 });
  const { records } = await rig.drain.source.service.list({ select: {}, count: 100 }, never);
  const page = { records, readAt: await rig.drain.source.readAt() };
  const { tally } = await workPage(rig.drain, page, never);
  expect(tally.reasons.held).toEqual({ superseded: 3 });
});

test("a drain pays one more listing of its range, once for all windows, and only with such a rule", async () => {
  const plain = await listsOf("    rules: [{ name: outage, when: any, then: republish }]\n");
  const asking = await listsOf(newestOnly("hold"));
  expect(asking - plain).toBeGreaterThanOrEqual(10);
  expect(asking - plain).toBeLessThanOrEqual(11);
});

test("plan, apply and explain know the newest, and the audit names it", async () => {
  const dir = newDir();
  const stand = await createPlanStand(redis.url(), {
    document: `
version: 1
archive: { dir: ${dir}, keep: 30d, volume: ephemeral }
sources: { default: {} }
defaults: { lane: none }
drains:
  orders:
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
${newestOnly("drop")}`,
  });
  const [older = ""] = stand.seed(1, order("a", 1), 2 * hourMs);
  const [newer = ""] = stand.seed(1, order("a", 2));
  const explained = await stand.run(["rules", "explain", older, "--json"]);
  expect(JSON.parse(explained.out)).toMatchObject({
    decision: { then: "drop", reason: "superseded", rule: "only-the-newest", by: newer },
    explanation: `drop: superseded (rule "only-the-newest", by ${newer})`,
  });
  await stand.plan();
  expect(readFileSync(stand.file, "utf8")).toContain(`"by":"${newer}"`);
  expect(await stand.apply()).toMatchObject({ exitCode: 0 });
  await stand.emulator.idle();
  expect(stand.emulator.dlq.size).toBe(0);
  expect((await kept(dir)).map(({ dlqId }) => dlqId)).toEqual([older]);
  const history = await stand.run(["history", older, "--json"]);
  expect(history.out).toContain(`superseded-by:${newer}`);
  const counted = await stand.run(["history", "--act", "drop", "--json"]);
  expect(counted.out).toContain('"superseded-by":1');
});
