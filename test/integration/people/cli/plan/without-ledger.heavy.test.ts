import { existsSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { expectTold, runHere } from "../../../../support/cli.ts";
import { createPlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

/** Everything that a plan would read in Redis. */
const document = `
version: 1
sources: { default: {} }
indexes:
  catalog: { id: a, credentials: { user: { env: U }, password: { env: P } } }
drains:
  orders:
    mode: plan
    select: { topicName: orders }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    limits: { perPass: 40, perDay: 50 }
    guards: [{ index: catalog, hold: "pending_index_count > 10000" }]
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

async function setUp() {
  const stand = await createPlanStand(redis.url(), { document });
  const { REDRIVER_REDIS_URL: _url, REDRIVER_REDIS_KEY_PREFIX: _prefix, ...env } = stand.env;
  return { ...stand, env };
}

/** Of the default address. A Redis of whoever runs the tests is no part of them. */
const isTaken = await new Promise<boolean>((resolve) => {
  const socket = connect(6379, "127.0.0.1");
  socket.on("connect", () => {
    socket.destroy();
    resolve(true);
  });
  socket.on("error", () => resolve(false));
});

describe.skipIf(isTaken)("with an address and a token alone", () => {
  it("a plan says what would be done, and that it knows nothing of what was done", async () => {
    const { seed, env, emulator } = await setUp();
    seed(60);
    const { exitCode, out, err } = await runHere(["plan", "orders"], env);
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: expect.stringContaining("60 in the plan") as string,
    });
    expect(out).toContain("ledger    none: without Redis");
    expect(out).toContain("60 republish");
    const { out: json } = await runHere(["plan", "orders", "--json", "--rule", "outage"], env);
    expect(JSON.parse(json)).toMatchObject({
      ledger: "none",
      complete: true,
      drains: [{ planned: 60, pausedBy: null, decisions: { republish: 60 }, room: { closedGuards: [] } }],
    });
    expect(emulator.journal.entries("request").every(({ operation }) => operation === "list")).toBe(true);
  });

  it("a plan narrows to a kind of failure, whose id the plan before has shown", async () => {
    const { seed, env } = await setUp();
    seed(3);
    seed(2, { responseStatus: 404 });
    const { out } = await runHere(["plan", "--all", "--json"], env);
    const { drains } = JSON.parse(out) as { drains: readonly [{ failures: { top: { id: string }[] } }] };
    const [{ id } = { id: "" }] = drains[0].failures.top;
    const one = await runHere(["plan", "--all", "--json", "--failure", id], env);
    expect(JSON.parse(one.out)).toMatchObject({ drains: [{ planned: 3 }] });
  });

  it("no file of it is written, because nobody may act on it", async () => {
    const { seed, env, file } = await setUp();
    seed(1);
    expectTold(await runHere(["plan", "orders", "--out", file], env), 2, "--out and --keep need a ledger");
    expect(existsSync(file)).toBe(false);
  });
});

it("a Redis that was named and does not answer ends a plan, also if only its prefix was named", async () => {
  const { env } = await setUp();
  const { exitCode, err } = await runHere(["plan", "orders"], {
    ...env,
    REDRIVER_REDIS_URL: "redis://:s3cret@127.0.0.1:1",
  });
  expect({ exitCode, err }).toEqual({
    exitCode: 1,
    err: expect.stringContaining(
      "redis-unavailable: Redis at 127.0.0.1:1 did not answer connect: nothing listens there (ECONNREFUSED); is it up, may it be reached from here, and does it speak TLS (rediss://) or not? its address is redis.url (REDRIVER_REDIS_URL)",
    ) as string,
  });
  expect(err).not.toContain("s3cret");
  if (isTaken) return;
  const other = await runHere(["plan", "orders"], { ...env, REDRIVER_REDIS_KEY_PREFIX: "mine" });
  expect(other.err).toContain("redis-unavailable: Redis at 127.0.0.1:6379");
});
