import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator, type Emulator } from "../../../dev/emulator/index.ts";
import { runToEnd, start } from "../../support/command.ts";
import { createEnv, type DaemonEnv } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters } from "../../support/service.ts";

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
  return {
    emulator,
    setup,
    seed: (count, fields = {}) => {
      seedLetters(emulator, count, () => ({
        url: "http://127.0.0.1:9/closed",
        topicName: "orders",
        body: "body-that-nobody-may-print",
        ...fields,
      }));
    },
  };
}

describe("redriver drain", () => {
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
});

describe("redriver index stats", () => {
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
