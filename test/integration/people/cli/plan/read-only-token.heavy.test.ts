import { describe, expect, it } from "vitest";
import { createPlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

/** Of a service that refuses all but reads, as to a token that only reads. */
async function setUp(mode: string) {
  const document = `
version: 1
sources: { default: {} }
drains: { main: { mode: ${mode}, lane: none, rules: [ { name: a, when: { responseStatus: 503 }, then: republish } ] } }
`;
  const stand = await createPlanStand(redis.url(), { document });
  stand.seed(1);
  stand.seed(1, { responseStatus: 500 });
  for (const operation of ["batch", "delete"] as const) {
    stand.emulator.faults.add({ kind: "status", operation, status: 403, error: "this token only reads" });
  }
  const asked = () => [
    ...new Set(stand.emulator.journal.entries("request").map(({ operation }) => operation)),
  ];
  return { ...stand, asked };
}

describe("a token that only reads", () => {
  it("is enough for a plan of a live drain, and for a pass of a drain in plan mode", async () => {
    const live = await setUp("live");
    const { exitCode, out } = await live.run(["plan", "--all"]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^ +now +1 republish\n +stays +1 held$/m);
    expect(live.asked()).toEqual(["list"]);
    const planning = await setUp("plan");
    expect(await planning.run(["drain", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(planning.asked()).toEqual(["list"]);
  });

  it("is not enough for a pass of a live drain, which leaves everything in the queue", async () => {
    const { emulator, run, asked } = await setUp("live");
    const { exitCode, out, err } = await run(["drain", "--all", "--yes"]);
    expect(out).toMatch(/^main +hold +source-halted +a +1$/m);
    expect(err).toContain("this token only reads; the token is service.token");
    expect(exitCode).toBe(3);
    expect(asked()).toEqual(["list", "batch"]);
    expect(emulator.dlq.size).toBe(2);
  });
});
