/** The account delivers four at once, and a slow host has them all: what is published is accepted, and waits. */
import { createServer, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Emulator } from "../../../../dev/emulator/index.ts";
import { runHere } from "../../../support/cli.ts";
import { createFolder } from "../../../support/command.ts";
import { createEnv, startDaemon, type StartedDaemon } from "../../../support/daemon.ts";
import { useRedis } from "../../../support/redis.ts";
import { freePort } from "../../../support/redis-servers.ts";
import { serve } from "../../../support/serve.ts";
import { startService } from "../../../support/service.ts";
import { waitFor } from "../../../support/wait-for.ts";

const redis = useRedis();
const maxInFlight = 4;
const watchMs = 3_000;
const canary = 5;

const documentOf = (source: string): string => `
version: 1
sources: { default: { ${source} } }
drains:
  main:
    mode: live
    schedule: { every: 1s, full: 10m }
    lane: { canary: ${canary}, watch: ${watchMs}ms, haltAt: 20%, probeEvery: 10s }
    limits: { publish: 100/s, perHost: 100/s }
    minAge: 0s
    attempts: { max: 5, wait: [0s], then: park }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** Answers nothing before it is told to. */
async function createSlowHost() {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const server = createServer((request, response) => {
    request.resume();
    if (isOpen) response.end();
    else waiting.push(response);
  });
  const { url, close } = await serve(server);
  const open = (): void => {
    isOpen = true;
    for (const response of waiting) response.end();
  };
  onTestFinished(async () => {
    open();
    await close();
  });
  return { url, open };
}

async function publishTo(emulator: Emulator, url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const headers = { Authorization: `Bearer ${emulator.token}` };
    const answer = await fetch(`${emulator.url}/v2/publish/${url}`, {
      method: "POST",
      headers,
      body: "live",
    });
    expect(answer.ok).toBe(true);
  }
}

function seed(emulator: Emulator, url: string, count: number, name: string): void {
  const at = Date.now() - 3_600_000;
  emulator.dlq.seed(
    Array.from({ length: count }, (_, index) => ({
      url,
      createdAt: at + index,
      responseStatus: 503,
      maxRetries: 3,
      body: `${name} ${index}`,
    })),
  );
}

/** So many passes more, of one second each. */
async function passesOf({ log }: StartedDaemon, more: number): Promise<void> {
  const count = (): number => log.filter(({ event }) => event === "pass:closed").length;
  const before = count();
  await waitFor(() => expect(count()).toBeGreaterThanOrEqual(before + more), { timeout: 60_000 });
}

async function createSaturated(source: string, env: Readonly<Record<string, string>> = {}) {
  const { emulator, receiver } = await startService({ retryScale: 1 / 30, maxInFlight });
  const { current, next } = emulator.signingKeys;
  const keys = createFolder({ current, next });
  const slow = await createSlowHost();
  await publishTo(emulator, slow.url, 3 * maxInFlight);
  const document = documentOf(source.replace("KEY", `${keys.path}/current`));
  const setup = createEnv({ emulator, redisUrl: redis.url(), document, env });
  const cli = async (...argv: readonly string[]) => (await runHere(argv, setup.env)).out;
  return {
    emulator,
    receiver,
    slow,
    hook: `${receiver.url}/hook`,
    start: () => startDaemon(setup.env),
    verdict: async () => (await cli("status")).split("\n")[0]!,
    lane: async () => JSON.parse(await cli("lanes", "--json")) as Readonly<Record<string, unknown>>,
    published: () => emulator.journal.entries("accepted").filter(({ url }) => url.endsWith("/hook")).length,
  };
}

describe("while nobody knows of a canary", () => {
  it.each([
    ["watchDeliveries", "watchDeliveries: true", 0],
    // One fresh canary after each watch; the watches grow.
    ["callbacks", 'callbacks: { url: "http://127.0.0.1:PORT/callbacks", keys: [{ file: KEY }] }', 4],
  ])(
    "no lane opens on silence, and the status says that the service is behind: %s",
    async (_name, source, fresh) => {
      const port = String(await freePort());
      const stage = await createSaturated(source.replace("PORT", port), {
        REDRIVER_CALLBACK_HOST: "127.0.0.1",
        REDRIVER_CALLBACK_PORT: port,
      });
      const { emulator, receiver, slow, hook, verdict, lane, published } = stage;
      seed(emulator, hook, canary, "first");
      const daemon = await stage.start();
      await waitFor(() => expect(published()).toBe(canary), { timeout: 30_000 });
      const said = new Set<string>();
      await waitFor(
        async () => {
          said.add(await verdict());
          expect([...said].at(-1)).toContain("the service is behind: at least 5 wait undelivered");
        },
        { timeout: 5 * watchMs },
      );
      expect([...said].join("\n")).not.toContain("all clear");

      seed(emulator, hook, 60, "second");
      await passesOf(daemon, 8);
      expect(receiver.deliveries).toEqual([]);
      expect(published()).toBeLessThanOrEqual(canary + fresh);
      expect(await lane()).toMatchObject({
        state: "canary",
        why: expect.stringMatching(/are not known to be delivered$/) as string,
      });
      expect(await verdict()).toMatch(/the service is behind/);

      slow.open();
      await waitFor(() => expect(receiver.counts().size).toBe(canary + 60), { timeout: 120_000 });
      await waitFor(async () => expect(await verdict()).toContain("all clear"), { timeout: 60_000 });
      expect(receiver.deliveries.filter(({ path }) => path === "/hook")).toHaveLength(canary + 60);
    },
    300_000,
  );
});

it("a service without the question is asked once, the log says so in one line, and silence judges", async () => {
  const { emulator, receiver } = await startService({ retryScale: 1 / 30 });
  emulator.faults.add({ kind: "status", operation: "manage", status: 404 });
  const document = documentOf("watchDeliveries: true");
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
  seed(emulator, `${receiver.url}/hook`, 60, "any");
  const daemon = await startDaemon(env);
  const said = await daemon.line(({ event }) => event === "deliveries:asked", 30_000);
  expect(said).toMatchObject({ outcome: "absent", source: "default" });
  await waitFor(() => expect(receiver.counts().size).toBe(60), { timeout: 60_000 });
  await passesOf(daemon, 6);
  const asked = emulator.journal.entries("request").filter(({ path }) => path === "/v2/globalParallelism");
  expect(asked).toHaveLength(1);
  expect(daemon.log.filter(({ event }) => event === "deliveries:asked")).toHaveLength(1);
  const [verdict] = (await runHere(["status"], env)).out.split("\n");
  expect(verdict).toContain("what was published within the hour has not failed again so far");
}, 180_000);
