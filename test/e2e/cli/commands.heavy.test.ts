import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator, type Emulator } from "../../../dev/emulator/index.ts";
import { runToEnd, start } from "../../support/command.ts";
import { createEnv, type DaemonEnv } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    select: { topicName: orders }
    lane: none
    limits: { publish: none, perHost: none }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
  rest:
    select: { topicName: refunds }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
indexes:
  catalog:
    id: catalog-id
    credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }
`;

async function setUp(): Promise<{
  emulator: Emulator;
  setup: DaemonEnv;
  seed: (count: number, fields?: object) => void;
}> {
  const emulator = await startEmulator({
    retryScale: 0,
    indexes: ["catalog-id"],
    statsCredentials: { username: "index-user", password: "index-password" },
  });
  onTestFinished(() => emulator.close());
  const setup = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: {
      INDEX_USER: "index-user",
      INDEX_PASSWORD: "index-password",
      REDRIVER_STATISTICS_URL: emulator.url,
    },
  });
  let seeded = 0;
  return {
    emulator,
    setup,
    seed: (count, fields = {}) => {
      const at = Date.now() - 60 * 60_000;
      emulator.dlq.seed(
        Array.from({ length: count }, () => ({
          dlqId: `${at + (seeded += 1)}-0`,
          url: "http://127.0.0.1:9/closed",
          createdAt: at - 5_000,
          responseStatus: 503,
          topicName: "orders",
          maxRetries: 0,
          body: "body-that-nobody-may-print",
          ...fields,
        })),
      );
    },
  };
}

describe("redriver drain", () => {
  it("obeys each drain's mode, prints a summary on stdout, and ends with 0 when all is decided", async () => {
    const { emulator, setup, seed } = await setUp();
    seed(120);
    seed(3, { responseStatus: 422 });
    seed(7, { topicName: "refunds" });
    const { exitCode, out, err } = await runToEnd(["drain", "--all", "--yes", "--json"], setup.env);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      {
        drain: "orders",
        mode: "live",
        outcome: "complete",
        tally: { republished: 120, deleted: 120, parked: 3, due: 0 },
      },
      { drain: "rest", mode: "plan", outcome: "complete", tally: { republished: 0, deleted: 0, due: 7 } },
    ]);
    expect(out + err).not.toContain("body-that-nobody-may-print");
    await emulator.idle();
    const table = await runToEnd(["drain", "rest", "--yes"], setup.env);
    expect(table.out).toMatch(/^drain +mode +outcome +listed +due/);
    expect(table.out).toMatch(/^rest +plan +complete +7 +7 /m);
  });

  it("ends with 2 and names the drains for one that the document does not have", async () => {
    const { setup } = await setUp();
    const { exitCode, err } = await runToEnd(["drain", "order"], setup.env);
    expect(exitCode).toBe(2);
    expect(err).toContain('no drain is named "order"; the document has orders, rest');
  });

  it("told to stop, finishes the page, says so, and ends with 3 and work left", async () => {
    const { emulator, setup, seed } = await setUp();
    seed(1_000);
    emulator.faults.add({ kind: "latency", operation: "batch", ms: 300, name: "slow" });
    const running = start(["drain", "orders", "--yes", "--json"], setup.env);
    await emulator.journal.waitFor((entry) => entry.type === "request" && entry.operation === "batch");
    running.child.kill("SIGINT");
    const { exitCode, out } = await running.ended;
    expect(exitCode).toBe(3);
    expect(JSON.parse(out)).toMatchObject([{ outcome: "stopped" }]);
    expect(emulator.dlq.size).toBeGreaterThan(0);
  });

  it("goes on to its end when nobody reads its output any more", async () => {
    const { emulator, setup, seed } = await setUp();
    seed(300);
    const running = start(["--log-level", "debug", "drain", "orders", "--yes"], setup.env);
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    expect((await running.ended).exitCode).toBe(0);
    await emulator.idle();
    const status = await runToEnd(["status", "--json"], setup.env);
    expect(JSON.parse(status.out)).toMatchObject({
      drains: [{ drain: "orders", openPass: null, due: 0 }, {}],
    });
  });

  it("ends with 1 when the token is wrong, and names the settings", async () => {
    const { emulator, setup, seed } = await setUp();
    seed(5);
    const { exitCode, err, out } = await runToEnd(["drain", "orders", "--yes"], {
      ...setup.env,
      REDRIVER_SERVICE_TOKEN: "wrong-token",
    });
    expect(exitCode).toBe(1);
    expect(err).toContain("unauthorised");
    expect(err).toContain("REDRIVER_SERVICE_TOKEN");
    expect(err + out).not.toContain("wrong-token");
    expect(emulator.dlq.size).toBe(5);
  });
});

describe("redriver pause and resume", () => {
  it("hold a drain back before its next batch, show it in status, and let it go on", async () => {
    const { emulator, setup, seed } = await setUp();
    seed(10);
    expect(
      (await runToEnd(["pause", "orders", "--reason", "receiver maintenance"], setup.env)).exitCode,
    ).toBe(0);
    const paused = await runToEnd(["drain", "orders", "--yes", "--json"], setup.env);
    expect(paused.exitCode).toBe(3);
    expect(JSON.parse(paused.out)).toMatchObject([{ tally: { due: 10, republished: 0 } }]);
    expect(emulator.dlq.size).toBe(10);
    const status = await runToEnd(["status", "--json"], setup.env);
    expect(JSON.parse(status.out)).toMatchObject({
      drains: [
        { drain: "orders", mode: "live", paused: { reason: "receiver maintenance" }, due: 10 },
        { drain: "rest" },
      ],
      sources: [{ source: "default", open: 0, settleGate: "open" }],
    });
    expect((await runToEnd(["resume", "--all", "--reason", "done"], setup.env)).exitCode).toBe(0);
    const resumed = await runToEnd(["drain", "orders", "--yes", "--json"], setup.env);
    expect(JSON.parse(resumed.out)).toMatchObject([{ tally: { due: 0, republished: 10, deleted: 10 } }]);
  });

  it("ask for a reason", async () => {
    const { setup } = await setUp();
    const { exitCode, err } = await runToEnd(["pause", "orders"], setup.env);
    expect(exitCode).toBe(2);
    expect(err).toContain("--reason");
  });
});

describe("redriver config show", () => {
  it("prints what is in effect, and no secret", async () => {
    const { emulator, setup } = await setUp();
    const { exitCode, out } = await runToEnd(["config", "show"], setup.env);
    expect(exitCode).toBe(0);
    expect(out).toContain("minAge: 1s");
    expect(out).not.toContain(emulator.token);
  });
});

describe("redriver index stats", () => {
  it("reads the configured indexes with basic auth", async () => {
    const { setup } = await setUp();
    const { exitCode, out } = await runToEnd(["index", "stats", "--json"], setup.env);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ index: "catalog", id: "catalog-id", period: "1h" }]);
    expect((await runToEnd(["index", "stats"], setup.env)).out).toContain("pending_index_count");
  });

  it("watched without a terminal appends reading after reading, and ends with 0 on Ctrl-C", async () => {
    const { emulator, setup } = await setUp();
    emulator.putIndex("catalog-id", { pending_index_count: 7 });
    const { child, ended } = start(["index", "stats", "--watch", "--json"], setup.env);
    let readings = 0;
    child.stdout?.on("data", (text: Buffer) => {
      readings += text.toString("utf8").split("\n").length - 1;
      emulator.putIndex("catalog-id", { pending_index_count: 8 });
      if (readings === 2) child.kill("SIGINT");
    });
    const { exitCode, out } = await ended;
    expect(exitCode).toBe(0);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([7, 8].map((pending_index_count) => [{ scalars: { pending_index_count } }]));
  });

  it("names the variable of a credential that is missing", async () => {
    const { setup } = await setUp();
    const { INDEX_PASSWORD: _password, ...env } = setup.env;
    const { exitCode, err } = await runToEnd(["index", "stats"], env);
    expect(exitCode).toBe(78);
    expect(err).toContain("INDEX_PASSWORD");
  });
});
