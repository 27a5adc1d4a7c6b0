import { describe, expect, it, onTestFinished } from "vitest";
import type { PlanVerdict } from "../../../../../src/job/contracts/plans.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../../support/plan-stand.ts";
import { createReceiver } from "../../../../support/receiver.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const lanes = (watch: string): string =>
  outageDocument.replace("lane: none", `lane: { canary: 5, watch: ${watch}, haltAt: 20%, probeEvery: 15m }`);

function setUp(watch: string): Promise<PlanStand> {
  return createPlanStand(redis.url(), { document: lanes(watch) });
}

function verdictOf(out: string): PlanVerdict | null {
  return (JSON.parse(out) as readonly [{ readonly verdict: PlanVerdict | null }])[0].verdict;
}

describe("what became of what an apply has sent", () => {
  it("is told as soon as all of it came back, and ends the command with 1", async () => {
    // Longer than the test may take: what came back has told.
    const stand = await setUp("10m");
    stand.receiver.answer = () => 503;
    stand.seed(20);
    await stand.plan("--limit", "5");
    const { exitCode, out } = await stand.apply();
    const verdict = /5 sent, 5 came back: 503, the receiver was still down at \d\d:\d\d:\d\d UTC/;
    expect(out).toMatch(verdict);
    expect(exitCode).toBe(1);
    expect(stand.receiver.deliveries).toHaveLength(5);
    // Nobody else has told the lane.
    const { out: status } = await stand.run(["lanes", "--json"]);
    expect(status).toContain('"state":"halted"');

    // Again it sends nothing, and tells the same.
    const again = await stand.apply("--json");
    expect(again.exitCode).toBe(1);
    expect(verdictOf(again.out)).toEqual({
      state: "told",
      sent: 5,
      cameBack: 5,
      delivered: 0,
      silent: 0,
      failures: [{ destination: new URL(stand.receiver.url).origin, status: 503, count: 5 }],
      kinds: [{ id: expect.stringMatching(/^[0-9a-f]{10}$/) as string, count: 5 }],
      isBad: true,
      text: verdict.exec(out)?.[0],
    });
    expect(stand.receiver.deliveries).toHaveLength(5);
  });

  it("names what it has not sent itself", async () => {
    const stand = await setUp("2s");
    stand.seed(10);
    await stand.plan();
    const five = `${stand.file}.five`;
    await stand.run(["plan", "--all", "--limit", "5", "--out", five]);
    await stand.run(["apply", five, "--reason", "first", "--by", "ada"]);
    const { out } = await stand.apply();
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      "orders: 10 sent, none came back in 2s, which is no proof of delivery; of these, this apply sent 5, and the drain itself or an earlier apply 5",
    );
  });

  it("counts each answer, and takes silence for no delivery", async () => {
    const stand = await setUp("3s");
    const answers = [503, 404];
    stand.receiver.answer = () => answers.pop() ?? 200;
    stand.seed(5);
    await stand.plan();
    const { exitCode, out, err } = await stand.apply();
    expect(out).toMatch(
      /orders: 5 sent, 2 came back: 1 × \d+; 1 × \d+, 3 have not come back yet, which is no proof of delivery\n/,
    );
    expect(err).toContain("2 came back so far");
    expect(exitCode).toBe(1);
  });

  it("names the host that is bad, and says of the others that they are not", async () => {
    const stand = await setUp("3s");
    stand.receiver.answer = ({ path }) => (path === "/down" ? 503 : 200);
    const others = await Promise.all(Array.from({ length: 4 }, () => createReceiver()));
    onTestFinished(async () => {
      await Promise.all(others.map(({ close }) => close()));
    });
    stand.seed(5, { url: `${stand.receiver.url}/down` });
    for (const { url } of others) stand.seed(5, { url: `${url}/hook` });
    await stand.plan();
    // Of all it is a fifth, which is no reason to halt. Of its host it is all.
    const { exitCode, out } = await stand.apply("--json");
    expect(verdictOf(out)).toMatchObject({
      sent: 25,
      cameBack: 5,
      isBad: true,
      text: `${new URL(stand.receiver.url).host}: 5 sent, 5 came back: 503, the receiver was still down${/ at [\d:]+ UTC/.exec(out)?.[0]}; 4 other hosts: 20 sent, none came back in 3s, which is no proof of delivery`,
    });
    expect(exitCode).toBe(1);
  });

  it("is not waited for if a person does not want to, or ends the wait", async () => {
    const stand = await setUp("10m");
    stand.receiver.answer = () => 503;
    stand.seed(10);
    await stand.plan("--limit", "5");
    const left = await stand.apply("--no-follow");
    expect(left.out).toContain("orders: 5 sent, not followed: whether they came back is not known\n");
    expect(left.exitCode).toBe(0);

    const calm = await setUp("10m");
    calm.seed(5);
    await calm.plan();
    let interrupt: (() => void) | undefined;
    const { exitCode, out } = await calm.run(["apply", calm.file, "--reason", "it is up", "--by", "ada"], {
      onListening: (listened) => (interrupt = listened),
      onErr: (text) => {
        if (text.includes("so far")) interrupt?.();
      },
    });
    expect(out).toContain("which is no proof of delivery, not followed to the end of its watch\n");
    expect(exitCode).toBe(3);
  });

  it("counts what came back and was sent on before anybody looked", async () => {
    const document = `${lanes("10m")}  rest:
    mode: live
    select: {}
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    lane: none
    rules: [{ name: all, when: any, then: republish }]
`;
    const stand = await createPlanStand(redis.url(), { document });
    stand.receiver.answer = () => 503;
    stand.seed(5);
    const plan = await stand.run(["plan", "orders", "--out", stand.file]);
    expect(plan.exitCode, plan.err).toBe(0);
    expect((await stand.apply("--no-follow")).exitCode).toBe(0);
    await stand.emulator.idle();
    stand.receiver.answer = () => 200;
    // A pass ends five seconds ago.
    const delivered = async (): Promise<number> => {
      await stand.run(["drain", "rest", "--yes"]);
      await stand.emulator.idle();
      return stand.receiver.deliveries.length;
    };
    await expect.poll(delivered, { timeout: 40_000, interval: 1_000 }).toBe(10);

    // Its watch is over for who says so, so that it looks once.
    stand.document(document.replace("watch: 10m", "watch: 3s"));
    const { out, exitCode, err } = await stand.apply("--json");
    expect(exitCode, err).toBe(1);
    expect(verdictOf(out), err).toMatchObject({
      sent: 5,
      cameBack: 5,
      failures: [{ destination: null, status: null, count: 5 }],
      text: "5 sent, 5 came back: sent on since",
    });
    expect(stand.receiver.deliveries).toHaveLength(10);
  });

  it("counts what had no answer once its come-back shows that it was sent, beside a rate limit", async () => {
    const stand = await setUp("10m");
    stand.receiver.answer = () => 503;
    stand.seed(5);
    await stand.plan();
    // The answer to the publish is lost, and the queue cannot be listed at first.
    stand.emulator.faults.add({ kind: "drop-answer", operation: "batch", count: 1 });
    const applied = stand.apply("--json");
    await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
    stand.emulator.faults.add({ kind: "status", operation: "list", status: 429, limit: "burst", count: 3 });
    const { out, exitCode, err } = await applied;
    expect(verdictOf(out), err).toMatchObject({ state: "told", sent: 5, cameBack: 5, silent: 0 });
    expect(exitCode).toBe(1);
    expect(stand.receiver.deliveries).toHaveLength(5);
  });

  it("is unknown, and no success, if the queue cannot be read in the end", async () => {
    const stand = await setUp("2s");
    stand.seed(5);
    await stand.plan();
    const applied = stand.apply("--json");
    await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
    stand.emulator.faults.add({ kind: "status", operation: "list", status: 401, error: "no" });
    const { out, exitCode, err } = await applied;
    expect(verdictOf(out), err).toMatchObject({
      state: "unknown",
      sent: 5,
      text: expect.stringMatching(/none came back so far, .*the queue was not read to its end \(/) as string,
    });
    expect(exitCode).toBe(1);
  });
});
