import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { startDaemon } from "../../support/daemon.ts";
import { createRedisServers, type RedisServer } from "../../support/redis-servers.ts";
import { sideBySide } from "../../support/side-by-side.ts";
import { createTcpProxy } from "../../support/tcp-proxy.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

/** What makes a server unfit, what is said of it, and what sets it right. */
interface Trouble {
  readonly name: string;
  readonly words: RegExp;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

const newFolder = (): string => mkdtempSync(join(servers.folder, "dir-"));

function troublesOf(server: RedisServer): readonly Trouble[] {
  const { admin } = server;
  return [
    {
      name: "becomes a replica",
      words: /got role:slave; point redis\.url at the primary/,
      begin: () => admin.call("REPLICAOF", "127.0.0.1", "1"),
      end: () => admin.call("REPLICAOF", "NO", "ONE"),
    },
    {
      name: "cannot write its snapshot",
      words: /MISCONF; it cannot write its snapshot and refuses writes; free its disk/,
      async begin() {
        const lost = newFolder();
        await admin.config("SET", "dir", lost);
        await admin.config("SET", "save", "3600 1");
        rmSync(lost, { recursive: true });
        await admin.call("BGSAVE");
        await expect
          .poll(() => admin.info("persistence"), { timeout: 30_000 })
          .toContain("rdb_last_bgsave_status:err");
      },
      async end() {
        await admin.config("SET", "dir", newFolder());
        await admin.call("BGSAVE");
      },
    },
  ];
}

it(
  "a Redis that turns unfit, or hides what it is, is told, and drained through once it is set right",
  () =>
    sideBySide({
      "that turns unfit again and again is told, and drained through by itself each time when it is set right":
        async () => {
          const server = await servers.start(["--enable-protected-configs", "yes"]);
          const proxy = await createTcpProxy({ host: "127.0.0.1", port: server.port });
          onTestFinished(() => proxy.close());
          const stage = await createDrainStage({ url: `redis://127.0.0.1:${proxy.port}` });
          const requests = () => stage.emulator.journal.entries("request");
          const posts = (): number => requests().filter(({ operation }) => operation === "batch").length;

          // Three seconds there and back: every call goes unanswered.
          proxy.slow(1_500);
          const bodies = stage.seed(20);
          const daemon = await startDaemon(stage.setup.env);
          const says = async (words: RegExp): Promise<void> => {
            const reasons = async (): Promise<string> => (await readyz(daemon.address)).reasons.join("\n");
            await expect.poll(reasons, { timeout: 30_000 }).toMatch(words);
            expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
          };
          await says(/did not answer .*timeout; see redis\.url/);
          expect(requests()).toEqual([]);
          await proxy.heal();
          await stage.emptied(60_000);

          for (const { name, words, begin, end } of troublesOf(server)) {
            await begin();
            const before = posts();
            const told = daemon.log.length;
            bodies.push(...stage.seed(20));
            await says(words);
            expect({ name, posts: posts() - before }).toEqual({ name, posts: 0 });
            await end();
            await stage.emptied(60_000);
            const lines = daemon.log
              .slice(told)
              .filter(({ event }) => /^redis:(un)?fit$/.test(String(event)));
            expect(lines.map(({ event }) => event)).toEqual(["redis:unfit", "redis:fit"]);
            expect(String(lines[0]?.["msg"])).toMatch(words);
          }
          stage.deliveredOnce(bodies);
          await expect
            .poll(() => readyz(daemon.address), { timeout: 30_000 })
            .toEqual({ ok: true, reasons: [] });
        },
      "that hides INFO, and then loads its data for seconds, says each, and is drained through when it is there":
        async () => {
          const file = ["--dir", servers.folder, "--save", "3600 1"];
          // It is asked while it hides and while it loads.
          const admin = { enableReadyCheck: false };
          const hiding = await servers.start([...file, "--rename-command", "INFO", ""], { admin });
          await hiding.admin.eval("for i = 1, 8000 do redis.call('SET', 'neighbour-' .. i, 'x') end", 0);
          await hiding.admin.call("SAVE");
          const stage = await createDrainStage({ url: hiding.url });
          const bodies = stage.seed(20);
          const daemon = await startDaemon(stage.setup.env);
          const says = async (words: string): Promise<void> => {
            const reasons = async (): Promise<string> => (await readyz(daemon.address)).reasons.join("\n");
            await expect.poll(reasons, { timeout: 30_000 }).toContain(words);
            expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
            expect(stage.emulator.journal.entries("request")).toEqual([]);
          };
          await says("let redriver use INFO");
          await hiding.kill();
          // A millisecond a key.
          const slowly = ["--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024"];
          await servers.start([...file, ...slowly], { port: hiding.port, admin });
          await says("got loading:1; wait until it has");
          await stage.emptied(60_000);
          stage.deliveredOnce(bodies);
          await expect
            .poll(() => readyz(daemon.address), { timeout: 30_000 })
            .toEqual({ ok: true, reasons: [] });
        },
    }),
  360_000,
);
