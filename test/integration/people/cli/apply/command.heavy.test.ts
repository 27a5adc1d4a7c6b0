import { EventEmitter, once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectTold, linesOf } from "../../../../support/cli.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../../support/plan-stand.ts";
import { createTcpProxy } from "../../../../support/tcp-proxy.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

interface Line {
  readonly drain: string;
  readonly check: Readonly<Record<string, number>>;
  readonly skippedRecords: { readonly count: number; readonly records: readonly unknown[] };
  readonly applied: {
    readonly tally: Readonly<Record<string, number>>;
    readonly skipped: number;
    readonly left: number;
    readonly leftReasons: Readonly<Record<string, number>>;
    readonly stoppedBy: string | null;
  };
}
const lineOf = (out: string): Line => (JSON.parse(out) as Line[])[0]!;

/** Why, of the newest: of an entry without records. */
async function lastApply(stand: PlanStand): Promise<string | undefined> {
  const { out } = await stand.run(["history", "--act", "apply", "--limit", "1", "--json"]);
  const { count, why } = JSON.parse(out) as { count: number; why?: string };
  return count === 0 ? why : undefined;
}

describe("redriver apply", () => {
  it("publishes, deletes and parks exactly what the plan selected, in a drain in plan mode too, and nothing that came later", async () => {
    const stand = await createPlanStand(redis.url());
    stand.seed(230);
    const broken = stand.seed(4, { responseStatus: 422 });
    expect((await stand.plan()).exitCode).toBe(0);
    const late = stand.seed(5, { body: "came later" });

    const { exitCode, out, err } = await stand.apply("--json");
    expect({ exitCode, err: err.replaceAll(/.*(?:decided again|done)\n/g, "") }).toEqual({
      exitCode: 0,
      err: "",
    });
    expect(lineOf(out)).toMatchObject({
      drain: "orders",
      check: { planned: 234, gone: 0, changed: 0, otherwise: 0, done: 0 },
      applied: { tally: { republished: 230, deleted: 230, parked: 4 }, left: 0, stoppedBy: null },
    });
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toHaveLength(230);
    expect(stand.receiver.counts().get("came later")).toBeUndefined();
    expect(new Set(stand.receiver.counts().values())).toEqual(new Set([1]));
    const left = await stand.run(["plan", "--all", "--records", "--json"]);
    const records = linesOf(left.out);
    const idsOf = (some: typeof records) => some.map(({ dlqId }) => String(dlqId)).toSorted();
    expect(idsOf(records)).toEqual([...broken, ...late].toSorted());
    expect(idsOf(records.filter(({ already }) => already))).toEqual([...broken].toSorted());
  });

  it("skips what is gone, changed or decided otherwise now, up to 5 % of it", async () => {
    const stand = await createPlanStand(redis.url());
    const ids = stand.seed(140);
    await stand.plan();
    stand.emulator.dlq.remove(ids.slice(0, 7));
    const { exitCode, out, err } = await stand.apply("--json");
    expect(exitCode).toBe(0);
    const { skippedRecords, ...line } = lineOf(out);
    expect(line).toMatchObject({ check: { gone: 7 }, applied: { tally: { republished: 133 } } });
    expect(skippedRecords.count).toBe(7);
    const was = { then: "republish", reason: "due", rule: "outage" };
    expect(skippedRecords.records[0]).toEqual({ dlqId: ids[0], why: "gone", was });
    expect(err).toContain(`orders: 7 skipped: 7 gone\n  ${ids[0]}: republish by outage → gone\n`);
    expect(err).toContain("\n  and 2 more\n");
  });

  it("refuses as a whole past 5 %, says what differs, and does nothing", async () => {
    const stand = await createPlanStand(redis.url());
    const ids = stand.seed(100);
    await stand.plan();
    stand.emulator.dlq.remove(ids.slice(0, 6));
    const { exitCode, err, out } = await stand.apply();
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toContain("plan-drifted: 6 of 100 are not as planned (6 gone now), more than 5 %");
    const examples = ids.slice(0, 3).map((id) => `\n  ${id}: republish by outage → gone`);
    expect(err).toContain(`make a new plan, such as${examples.join("")}\n`);
    expect(err).not.toContain(ids[3]);
    expect(await lastApply(stand)).toMatch(
      /^nothing was sent: plan-drifted; plan [0-9a-f-]{36}: the receiver is up again$/,
    );
    expect(stand.emulator.journal.counts().accepted).toBe(0);
  });

  it("goes on after Redis was away between the answer and the fact: what it had begun is no drift", async () => {
    const { hostname: host, port } = new URL(redis.url());
    const path = await createTcpProxy({ host, port: Number(port) });
    onTestFinished(() => path.close());
    const stand = await createPlanStand(`redis://127.0.0.1:${path.port}`);
    stand.seed(200);
    await stand.plan();
    const cut = stand.emulator.journal.waitFor((entry) => entry.type === "accepted").then(() => path.cut());
    expect((await stand.apply()).err).toContain("left (not-reached 200); apply the plan again to go on\n");
    await cut;
    expect(stand.emulator.dlq.size).toBe(100);
    await path.heal();
    const { exitCode, out, err } = await stand.apply("--json");
    expect(exitCode).toBe(0);
    expect(err).toContain("orders: 100 skipped: 100 gone (100 begun before, not proven)\n");
    expect(lineOf(out).applied).toMatchObject({ tally: { republished: 100 }, left: 0 });
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toHaveLength(200);
    expect(new Set(stand.receiver.counts().values())).toEqual(new Set([1]));
  }, 60_000);

  it("decides each record again under today's document: another rebuild of the same rule is decided otherwise", async () => {
    const stand = await createPlanStand(redis.url());
    stand.seed(20);
    await stand.plan();
    stand.document(
      outageDocument.replace("then: republish", "then: republish, set: { headers: { X-New: now } }"),
    );
    const { exitCode, err } = await stand.apply();
    expect(exitCode).toBe(1);
    expect(err).toContain("20 decided otherwise now");
    expect(err).toContain(": republish by outage → would be sent differently\n");
    stand.document(outageDocument.replace("name: outage", "name: blackout"));
    expect((await stand.apply()).err).toContain(": republish by outage → republish by blackout\n");
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    // A change of the rules that does not touch these records is none.
    stand.document(outageDocument.replace("responseStatus: 422", "responseStatus: 400"));
    expect((await stand.apply()).exitCode).toBe(0);
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toHaveLength(20);
  });

  it.each([
    ["a rate", "minAge: 1s", "minAge: 1s\n    limits: { publish: 5/s }"],
    ["a lane", "lane: none", "lane: { canary: 5, watch: 40s, haltAt: 20% }"],
  ])(
    "notices a pause while it waits for %s",
    async (_name, what, by) => {
      const stand = await createPlanStand(redis.url(), { document: outageDocument.replace(what, by) });
      stand.seed(100);
      await stand.plan();
      const progress = new EventEmitter();
      const waits = once(progress, "waits");
      const running = stand.run(["apply", stand.file, "--yes", "--json"], {
        terminal: true,
        onErr: (text) => {
          if (text.includes(" waits for ")) progress.emit("waits");
        },
      });
      await waits;
      await stand.run(["pause", "orders", "--reason", "incident 9", "--by", "eve"]);
      const pausedAt = performance.now();
      const { exitCode, err, out } = await running;
      expect(performance.now() - pausedAt).toBeLessThan(20_000);
      expect(exitCode).toBe(3);
      expect(err).toContain("orders: paused by eve: incident 9 (redriver resume); ");
      const { applied } = lineOf(out);
      expect(applied.stoppedBy).toBe("paused");
      expect(applied.left).toBeGreaterThan(70);
    },
    60_000,
  );

  it("asks on a terminal, with host, drains and counts, and does nothing without a yes", async () => {
    const stand = await createPlanStand(redis.url());
    stand.seed(12);
    await stand.plan();
    const no = await stand.run(["apply", stand.file], { terminal: true });
    expectTold(no, 3, /\nnothing was done\n$/);
    expect(no.out).toBe("");
    expect(no.questions.join()).toContain(
      `orders on ${new URL(stand.emulator.url).host}: 12 to send again\nGo on?`,
    );
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    const { out } = await stand.run(["plans", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ state: "ready", why: null, apply: null });
    const yes = await stand.run(["apply", stand.file], { terminal: true, confirm: true });
    expect(yes.exitCode).toBe(0);
    expect(stand.emulator.journal.counts().accepted).toBe(12);
  });

  it("needs a reason and a name without a terminal", async () => {
    const stand = await createPlanStand(redis.url());
    for (const flags of [
      ["--by", "ada"],
      ["--reason", "why"],
      ["--reason", " ", "--by", "ada"],
    ]) {
      expectTold(await stand.run(["apply", stand.file, ...flags]), 2, "--reason and --by are required");
    }
  });

  it("refuses an edited file, a plan of another address, and one of a drain that is not there any more", async () => {
    const stand = await createPlanStand(redis.url());
    stand.seed(5);
    await stand.plan();
    const whole = readFileSync(stand.file, "utf8");
    writeFileSync(stand.file, whole.replace('"rule":"outage"', '"rule":"broken"'));
    const edited = await stand.apply();
    expectTold(edited, 2, /plan-invalid.*its digest differs/);
    writeFileSync(stand.file, whole);
    const other = await createPlanStand(redis.url());
    const elsewhere = await other.run(["apply", stand.file, "--reason", "x", "--by", "ada", "--yes"]);
    expectTold(elsewhere, 2, "the plan was made for another address of source default");
    stand.document(outageDocument.replace("orders:\n", "renamed:\n"));
    expectTold(await stand.apply(), 2, "the plan is for drain orders, which the document has not");
  });
});
