import { describe, expect, it } from "vitest";
import { linesOf } from "../../../../support/cli.ts";
import { createPlanStand, outageDocument } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = outageDocument.replace(
  "lane: none",
  "lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 2s }",
);

interface Applied {
  readonly applied: {
    readonly tally: { readonly republished: number };
    readonly left: number;
    readonly leftReasons: Readonly<Record<string, number>>;
    readonly leftLanes: object | null;
  };
}

describe("redriver apply, of a drain with lanes", () => {
  it("leaves what a halted lane holds, says so, and has each order in the audit once", async () => {
    const stand = await createPlanStand(redis.url(), { document });
    stand.receiver.answer = () => 503;
    const seeded = stand.seed(30);
    await stand.plan();
    const { exitCode, out, err } = await stand.apply("--json");
    // What is left would be 3; what came back outranks it.
    expect(exitCode).toBe(1);
    const { origin } = new URL(stand.receiver.url);
    const { applied } = (JSON.parse(out) as Applied[])[0]!;
    expect(applied.leftReasons).toEqual({ "lane-halted": applied.left });
    expect(applied.left).toBeGreaterThan(20);
    expect(applied.leftLanes).toMatchObject({
      lanes: [{ origin, held: applied.left, state: "halted" }],
      more: { lanes: 0, held: 0 },
    });
    const told = err.slice(err.indexOf(" left (")).replaceAll(/\s+/g, " ");
    expect(told).toContain(`left (lane-halted ${applied.left}); apply the plan again to go on lanes `);
    expect(told).toMatch(/ halted for .* failed again, 503/);
    expect(stand.receiver.deliveries.length).toBeLessThan(10);
    const row = JSON.parse((await stand.run(["plans", "--json"])).out) as { readonly why: string };
    expect(row.why).toMatch(
      /^orders: \d+ left, of which \d+ waited for a halted lane, whose next probe was due at \d\d:\d\d UTC$/,
    );
    const history = await stand.run(["history", "--lanes", "--records", "--json"]);
    expect(linesOf(history.out)).toMatchObject([
      { act: "lane-halted", by: "ada", lane: { origin, from: "canary", to: "halted", sent: 5 } },
    ]);
    const acts = await stand.run(["history", "--act", "apply", "--records", "--json"]);
    const [end, ...orders] = linesOf(acts.out);
    expect(end?.["why"]).toMatch(
      /^\d sent, \d came back: 503, .*; orders: \d+ left, of which .*; plan \S+: /,
    );
    expect(orders).toHaveLength(seeded.length);
    expect(new Set(orders.map(({ dlqId }) => dlqId))).toEqual(new Set(seeded));
  }, 120_000);

  it("goes on once a lane that it waits for has room, long before the probe that it waited for", async () => {
    const stand = await createPlanStand(redis.url(), {
      document: document.replace("probeEvery: 2s", "probeEvery: 9m"),
    });
    stand.receiver.answer = () => 503;
    stand.seed(30);
    await stand.plan();
    const argv = ["apply", stand.file, "--reason", "the receiver is up again", "--by", "ada"];
    let told = "";
    let applied: Promise<{ readonly exitCode: number; readonly err: string }> | undefined;
    await new Promise<void>((resolve) => {
      applied = stand.run(argv, {
        onErr: (text) => {
          told += text;
          if (/waits for \S+ \(\d+ messages\): halted, next probe at [0-9:]+ UTC/.test(told)) resolve();
        },
      });
    });
    stand.receiver.answer = () => 200;
    const { host } = new URL(stand.receiver.url);
    const reset = await stand.run(["lanes", "reset", host, "--reason", "it is up", "--by", "ada"]);
    expect(reset.exitCode, reset.err).toBe(0);
    const ended = await applied;
    expect(ended?.exitCode, ended?.err).toBe(0);
  }, 80_000);
});
