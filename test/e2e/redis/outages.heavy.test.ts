import { afterAll, expect, it, onTestFinished } from "vitest";
import { createDrainStage, type DrainStage } from "../../support/drain-stage.ts";
import { startDaemon } from "../../support/daemon.ts";
import { sideBySide } from "../../support/side-by-side.ts";
import { isReady, saysNotReady, startMidDrain } from "../../support/mid-drain.ts";
import { createRedisServers, freePort, type RedisServer } from "../../support/redis-servers.ts";
import { createTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

async function proxied(server: RedisServer): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const proxy = await createTcpProxy({ host: "127.0.0.1", port: server.port });
  onTestFinished(() => proxy.close());
  return { proxy, url: `redis://127.0.0.1:${proxy.port}` };
}

const posts = ({ emulator }: DrainStage): number =>
  emulator.journal.entries("request").filter(({ operation }) => operation === "batch").length;

/** A daemon that has letters to drain from its start. `endsWell`: each is delivered once, and it is ready. */
async function startWithLetters(url: string, count: number) {
  const stage = await createDrainStage({ url });
  const bodies = stage.seed(count);
  const daemon = await startDaemon(stage.setup.env);
  return {
    daemon,
    calls: () => stage.emulator.journal.entries("request"),
    async endsWell(timeoutMs = 60_000) {
      await stage.emptied(timeoutMs);
      await isReady(daemon);
      stage.deliveredOnce(bodies);
    },
  };
}

/** Nothing is sent while this is so; what was under way when it began has ended by then. */
async function publishesNothing(stage: DrainStage): Promise<void> {
  let before = -1;
  await expect
    .poll(
      () => {
        const now = posts(stage);
        const settled = now === before;
        before = now;
        return settled;
      },
      { interval: 1_000, timeout: 30_000 },
    )
    .toBe(true);
  expect(stage.emulator.dlq.size).toBeGreaterThan(0);
}

it(
  "a Redis that goes away in the middle of a drain: it goes on by itself, and each is delivered once",
  () =>
    sideBySide({
      "cut off: nothing is published, and it goes on by itself": async () => {
        const { proxy, url } = await proxied(await servers.start());
        const { stage, daemon, endsWell, deliveredOnce } = await startMidDrain({ url });
        await proxy.cut();
        await saysNotReady(daemon, "REDRIVER_REDIS_URL");
        await publishesNothing(stage);
        await proxy.heal();
        await endsWell();
        deliveredOnce();
      },
      "silent, with every connection half open: it is noticed, and new connections are made": async () => {
        const { proxy, url } = await proxied(await servers.start());
        const { stage, daemon, endsWell, deliveredOnce } = await startMidDrain({ url });
        proxy.strand();
        expect(stage.emulator.dlq.size).toBeGreaterThan(0);
        // New connections are made at once, so that it is not ready for less than a look at it may take.
        await daemon.line(
          ({ event, message }) => event === "redis:lost" && /did not answer|timeout/.test(String(message)),
        );
        await endsWell();
        deliveredOnce();
      },
    }),
  300_000,
);

it(
  "a Redis that is away or evicts: it is told, and each is delivered once",
  () =>
    sideBySide({
      "that is not there at the start: the daemon is alive and not ready; when it comes the daemon drains by itself":
        async () => {
          const port = await freePort();
          const { daemon, calls, endsWell } = await startWithLetters(`redis://127.0.0.1:${port}`, 50);
          await saysNotReady(daemon, "REDRIVER_REDIS_URL");
          expect(calls()).toEqual([]);
          await servers.start([], { port });
          await endsWell();
        },
      "that evicts: nothing is called, also where CONFIG is forbidden; set right, it is used by itself":
        async () => {
          const server = await servers.start(["--maxmemory-policy", "allkeys-lru"]);
          await server.admin.call("ACL", "SETUSER", "narrow", "on", ">hush", "~*", "&*", "+@all", "-config");
          const url = `redis://narrow:hush@127.0.0.1:${server.port}`;
          const { daemon, calls, endsWell } = await startWithLetters(url, 20);
          await saysNotReady(daemon, /got allkeys-lru.*run CONFIG SET maxmemory-policy noeviction/);
          expect(calls()).toEqual([]);
          await server.admin.config("SET", "maxmemory-policy", "noeviction");
          await endsWell();
          const told = daemon.log.filter(({ event }) => /^redis:(un)?fit$/.test(String(event)));
          expect(told.map(({ event }) => event)).toEqual(["redis:unfit", "redis:fit"]);
        },
    }),
  300_000,
);
