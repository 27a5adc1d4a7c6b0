import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { createFolder } from "../../support/command.ts";
import { createReceiver } from "../../support/receiver.ts";
import { parseMetrics } from "../../../dev/demo/scraped-metrics.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis("own");

const drain = (failed: string): string => `
    mode: live
    schedule: { every: 1s, full: 20s }
    minAge: 1s
    lane: { canary: 20, watch: 2s, probeEvery: 2s }
    limits: { publish: none, perHost: none, perPass: none, perDay: none }
    attempts: { max: 20, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: [${failed}] }, then: republish }`;
const document = `
version: 1
sources: { default: {} }
drains:
  bad:${drain("502")}
  down:${drain("503, none")}
  slow:${drain("504")}
`;

// An eighth of what one such drain may have, passes every second, and one of its hosts is down for a while.
it("a drain of 1,500 letters for five hosts has few lines, and its audit is in a file of its own", async () => {
  const { emulator } = await startService();
  const hosts = await Promise.all(Array.from({ length: 5 }, () => createReceiver()));
  const ids = seedLetters(emulator, 1_500, (index) => ({
    url: `${hosts[index % 5]!.url}/hook`,
    responseStatus: 502 + (index % 3),
  }));
  const file = `${createFolder().path}/audit.log`;
  const env = { REDRIVER_LOG_AUDIT: file };
  const startedAt = Date.now();
  hosts[4]!.answer = () => (Date.now() - startedAt < 12_000 ? 503 : 200);
  const daemon = await startDaemon(createEnv({ emulator, redisUrl: redis.url(), document, env }).env);
  await expect.poll(() => emulator.dlq.size, { timeout: 200_000, interval: 200 }).toBe(0);
  // Idle passes.
  const passes = async (): Promise<number> => {
    const metrics = parseMetrics(await (await fetch(`${daemon.address}/metrics`)).text());
    return metrics.sum("redriver_passes_total") ?? 0;
  };
  const before = await passes();
  await expect.poll(passes, { timeout: 30_000, interval: 200 }).toBeGreaterThan(before + 10);
  daemon.child.kill("SIGTERM");
  const { out, exitCode } = await daemon.ended;
  await Promise.all(hosts.map((host) => host.close()));
  expect(exitCode).toBe(0);
  // On a busy machine a delivery may end without an answer. It goes again, and no attempt is the last.
  const bodies = hosts.map(({ deliveries }) => new Set(deliveries.map(({ body }) => body)).size);
  expect(bodies).toEqual([300, 300, 300, 300, 300]);
  const lines = out.trimEnd().split("\n");
  expect(lines.filter((line) => line.includes('"audit":true'))).toEqual([]);
  expect(lines.length).toBeLessThan(110);
  // Each move of a lane is news, and a busy machine has more of them.
  const moves = daemon.log.filter((line) => line["event"] === "lane:moved");
  expect(lines.length - moves.length).toBeLessThan(60);
  expect(lines.filter((line) => line.includes('"halted"'))).not.toEqual([]);
  for (const line of daemon.log) expect(line["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const acts = readFileSync(file, "utf8").trimEnd().split("\n");
  const published = acts.flatMap((line) => {
    const { act, records } = JSON.parse(line) as { act: string; records: { dlqId: string }[] };
    return act === "published" ? records.map(({ dlqId }) => dlqId) : [];
  });
  const named = new Set(published);
  expect(ids.filter((id) => !named.has(id))).toEqual([]);
}, 300_000);
