import { afterAll, expect, it } from "vitest";
import { createDrainStage } from "../../support/drain-stage.ts";
import { startDaemon } from "../../support/daemon.ts";
import { sideBySide } from "../../support/side-by-side.ts";
import { isReady, saysNotReady } from "../../support/mid-drain.ts";
import { createRedisServers, freePort } from "../../support/redis-servers.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

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
