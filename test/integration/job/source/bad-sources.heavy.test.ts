import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../../../support/serve.ts";
import { createFolder } from "../../../support/command.ts";
import { startPod } from "../../../support/pod.ts";
import { useRedis } from "../../../support/redis.ts";
import { startService } from "../../../support/service.ts";

const redis = useRedis();
const answersAfterMs = 50;

/** A service whose listing never ends, at 20 pages a second, or that never answers; ended with the test. */
async function startBadSource(answers: boolean) {
  let asked = 0;
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "GET") return void response.writeHead(503).end();
    asked += 1;
    if (!answers) return;
    const page = asked;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const record = {
        dlqId: `${Date.now() - 60_000}-${page}`,
        url: "http://127.0.0.1:9/hook",
        createdAt: Date.now() - 90_000,
        responseStatus: 404,
      };
      response.writeHead(200, { "content-type": "application/json", date: new Date().toUTCString() });
      response.end(JSON.stringify({ messages: [record], cursor: `page-${page}` }));
    }, answersAfterMs);
    timers.add(timer);
  });
  const { url, close } = await serve(server);
  onTestFinished(async () => {
    for (const timer of timers) clearTimeout(timer);
    await close();
  });
  return { url, asked: () => asked };
}

const names = ["endless", "also-endless", "silent", "also-silent"];

const drainOf = (source: string): string => `  drain-${source}:
    source: ${source}
    mode: live
    schedule: { every: 500ms, full: 30m }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    lane: none
    limits: { publish: none, perHost: none }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`;

it("four sources whose listings never end take nothing from a fifth", async () => {
  const { emulator, receiver } = await startService();
  const bad = await Promise.all(
    names.map(async (name) => ({ name, ...(await startBadSource(name.endsWith("endless"))) })),
  );
  const { path } = createFolder({ token: emulator.token });
  const sources = [
    ...bad.map(({ name, url }) => `  ${name}: { url: "${url}", token: { file: ${path}/token } }`),
    "  sound: {}",
  ];
  const pod = startPod({
    emulator,
    redisUrl: redis.url(),
    keyPrefix: redis.fresh().keyPrefix,
    document: `version: 1\nsources:\n${sources.join("\n")}\ndrains:\n${[...names, "sound"].map(drainOf).join("")}`,
    settings: {
      "windows.concurrency": 2,
      "service.listTimeout": "2m",
      "service.maxAnswerBytes": "1MiB",
      "shutdown.soft": "1s",
    },
  });
  await expect.poll(() => bad.every(({ asked }) => asked() > 0), { timeout: 30_000 }).toBe(true);
  await expect.poll(() => bad[0]?.asked(), { timeout: 30_000 }).toBeGreaterThan(20);

  // Ticks of the one that answers nothing come twice a second, and each would wait for two minutes: in 12 s they would
  // take all 20 places of this process.
  const passes = (): number =>
    pod.eventsOf("pass:opened").filter(({ drain }) => drain === "drain-sound").length;
  const enough = passes() + 40;
  await expect.poll(passes, { timeout: 60_000 }).toBeGreaterThan(enough);
  for (let round = 1; round <= 3; round += 1) {
    const from = Date.now() - 60_000;
    emulator.dlq.seed(
      Array.from({ length: 150 }, (_, index) => ({
        dlqId: `${from + index}-${round}`,
        url: `${receiver.url}/hook`,
        createdAt: from - 5_000,
        responseStatus: 503,
      })),
    );
    await expect.poll(() => emulator.dlq.size, { timeout: 40_000, interval: 50 }).toBe(0);
  }
  // Nothing of theirs has ended meanwhile.
  const ofOthers = pod.events.filter(
    (event) =>
      (event.type === "pass:closed" || event.type === "window:failed") && event.drain !== "drain-sound",
  );
  expect(ofOthers).toEqual([]);
}, 240_000);
