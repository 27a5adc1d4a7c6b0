import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../../../dev/emulator/index.ts";
import { runHere } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";

const document = `
version: 1
sources: { default: {} }
drains: { all: { rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }] } }
indexes:
  catalog: { id: catalog-id, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } } }
`;

async function setUp() {
  const emulator = await startEmulator({ indexes: ["catalog-id"] });
  onTestFinished(() => emulator.close());
  const folder = createFolder({ "drains.yaml": document });
  const { username, password } = emulator.statsCredentials;
  const env = {
    REDRIVER_SERVICE_URL: emulator.url,
    REDRIVER_SERVICE_TOKEN: emulator.token,
    REDRIVER_REDIS_URL: "redis://127.0.0.1:1",
    REDRIVER_DRAINS_FILE: `${folder.path}/drains.yaml`,
    REDRIVER_STATISTICS_URL: emulator.url,
    INDEX_USER: username,
    INDEX_PASSWORD: password,
  };
  return { emulator, env };
}

it("a watch of index stats does not ask again before the time that a 429 names", async () => {
  const { emulator, env } = await setUp();
  let interrupt: (() => void) | undefined;
  let refusals = 0;
  const { exitCode, out, err } = await runHere(["index", "stats", "--watch"], env, {
    onListening: (stop) => (interrupt = stop),
    onOut: () => {
      const headers = { "Retry-After": "60" };
      emulator.faults.add({ kind: "status", operation: "statistics", status: 429, headers });
    },
    onErr: () => {
      refusals += 1;
      if (refusals === 2) interrupt?.();
    },
  });
  expect(exitCode).toBe(0);
  expect(out.match(/^index +catalog$/gm)).toHaveLength(1);
  const line = 'redriver: rate-limited: statistics of index "catalog": expected 200, got 429\n';
  expect(err).toBe(`${line}${line}`);
  expect(emulator.journal.counts().requests).toMatchObject({ "statistics 200": 1, "statistics 429": 1 });
});
