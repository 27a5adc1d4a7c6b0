import { spawnSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../dev/emulator/index.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { isHere } from "../../support/tools.ts";
import { seriesOf } from "../../support/whole-metrics-page.ts";
import { seedLetters } from "../../support/service.ts";

const redis = useRedis();

const numbers = Array.from({ length: 50 }, (_, index) => index);
const common = `mode: live, schedule: { every: 10s }, minAge: 1s,
    guards: [{ index: catalog, hold: "pending_index_count > 1000000000" }],
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]`;
const document = `
version: 1
sources: { default: {} }
drains:
${numbers.map((number) => `  drain-${number}: { select: { label: l${number} }, ${common} }`).join("\n")}
indexes:
  catalog: { id: demo, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } } }
`;

// The largest document that is supported, so that no series of ours is missed.
let page = "";

it("a daemon with 50 drains has under 2,500 series of ours", async () => {
  const emulator = await startEmulator({ retryScale: 0 });
  onTestFinished(() => emulator.close());
  seedLetters(emulator, numbers.length, (index) => {
    const number = numbers[index] ?? 0;
    return { url: `http://127.0.0.1:${9 + (number % 25)}/closed`, label: `l${number}` };
  });
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: {
      INDEX_USER: emulator.statsCredentials.username,
      INDEX_PASSWORD: emulator.statsCredentials.password,
      REDRIVER_STATISTICS_URL: emulator.url,
    },
  });
  const daemon = await startDaemon(env);
  const read = async (): Promise<readonly string[]> =>
    (await (await fetch(`${daemon.address}/metrics`)).text()).split("\n");
  const countOf = async (name: string): Promise<number> =>
    (await read()).filter((line) => line.startsWith(`${name}{`)).length;
  await expect
    .poll(() => countOf("redriver_pass_last_success_timestamp_seconds"), { timeout: 45_000, interval: 500 })
    .toBe(50);
  await expect.poll(() => countOf("redriver_lane_canaries_total")).toBe(20);
  await expect.poll(() => countOf("redriver_index_day")).toBe(7);

  page = (await read()).join("\n");
  const { own } = seriesOf(page);
  expect(own.length).toBeGreaterThan(1_500);
  expect(own.length).toBeLessThan(2_500);
}, 90_000);

it.skipIf(!isHere("promtool"))("promtool finds nothing wrong with them", () => {
  const own = page.split("\n").filter((line) => /^(?:# \w+ )?redriver_/.test(line));
  const check = spawnSync("promtool", ["check", "metrics"], {
    input: `${own.join("\n")}\n`,
    encoding: "utf8",
  });
  expect({ status: check.status, said: check.stdout + check.stderr }).toEqual({ status: 0, said: "" });
});
