import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { runHere } from "../../support/cli.ts";
import { createFolder, start, type Running } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { createDrainStage } from "../../support/drain-stage.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis("own");

async function setUp() {
  const { setup } = await createDrainStage({ url: redis.url() });
  const path = join(createFolder().path, "own", "redriver.sock");
  const env = { ...setup.env, REDRIVER_SOCKET_PATH: path };
  const ask = (...argv: string[]) => start([...argv, "--verbose"], env).ended;
  return { env, own: setup.env, path, ask };
}

const say = (socket: Socket, value: object) => socket.write(`${JSON.stringify(value)}\n`);

/** Times, how long ago something was, and the columns that they take. */
const untimed = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "T")
    .replaceAll(/\d\d:\d\d(:\d\d)?/g, "T")
    .replaceAll(/\b1[78]\d{11}\b/g, "T")
    .replaceAll(/\b(\d+(ms|[dhms]))+\b/g, "T")
    .replaceAll(/T +/g, "T ")
    .replaceAll(/("\w+(Ms|Seconds)":)[\d.]+/g, "$1T");

const away = /: answered by this process\n/;
const byDaemon = ({ child }: Running) => new RegExp(`answered by the daemon \\S+, pid ${child.pid}\n`);

describe("a command beside a daemon", () => {
  it("of its user is answered by it as by its own process, if it is wrong too, and asks on its own terminal; nonsense ends no daemon", async () => {
    const { env, own, path, ask } = await setUp();
    const daemon = await startDaemon(env);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    const paused = await ask("pause", "--all", "--reason", "the receiver is down");
    expect(paused.err).toMatch(byDaemon(daemon));
    expect(paused.exitCode).toBe(0);
    for (const argv of [
      ["history", "--json"],
      ["pause", "nobody", "--reason", "x"],
      ["pause", "--all"],
      ["status", "--nonsense"],
      ["parked", "show", "1-0"],
    ]) {
      const beside = await ask(...argv);
      const { exitCode, out, err } = await runHere(argv, own);
      expect(beside.err, argv.join(" ")).toMatch(byDaemon(daemon));
      expect({ ...beside, err: beside.err.replace(byDaemon(daemon), "") }, argv.join(" ")).toEqual({
        exitCode,
        out,
        err,
      });
    }
    await askOnTerminal(path, env);
    expect((await ask("history", "--json")).out).toContain("typed in by hand");
    for (const text of ["nonsense\n", "{}\n", '{"argv":1}\n', "null\n", "x".repeat(2_000_000)]) {
      await new Promise<void>((resolve) => {
        const socket = createConnection(path, () => socket.write(text));
        socket
          .on("error", () => undefined)
          .on("close", () => resolve())
          .resume();
      });
    }
    expect((await ask("history")).err).toMatch(byDaemon(daemon));
    if (process.getuid?.() === 0) refuseStranger(path);
    daemon.child.kill("SIGTERM");
    expect((await daemon.ended).exitCode).toBe(0);
  }, 180_000);

  it("says and does the same as its own process, byte for byte but for times", async () => {
    const { emulator, receiver } = await startService();
    const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 12h }
    minAge: 1s
    rules:
      - { name: never, when: { responseStatus: 489 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: hold }
`;
    const { env: own } = createEnv({ emulator, redisUrl: redis.url(), document });
    const url = `${receiver.url}/hook`;
    seedLetters(emulator, 20, (index) => ({ url, responseStatus: index < 5 ? 489 : 503 }));
    const path = join(createFolder().path, "own", "redriver.sock");
    const daemon = await startDaemon({ ...own, REDRIVER_SOCKET_PATH: path, REDRIVER_LOG_LEVEL: "debug" });
    await daemon.line(({ event }) => event === "pass:closed");
    const pause = ["pause", "--all", "--reason", "INC-7"];
    const resume = ["resume", "--all", "--reason", "it is back"];
    for (const argv of [
      ["status"],
      ["status", "--json"],
      ["failures", "list"],
      ["failures", "list", "--json"],
      ["lanes", "list"],
      ["parked", "list"],
      ["parked", "list", "--json"],
      [...pause, "--json"],
      ["status"],
      pause,
      resume,
    ]) {
      const beside = await start([...argv, "--verbose"], { ...own, REDRIVER_SOCKET_PATH: path }).ended;
      if (argv[0] === "resume") await runHere(["pause", "--all", "--reason", "again"], own);
      const alone = await runHere(argv, own);
      expect(beside.err, argv.join(" ")).toMatch(byDaemon(daemon));
      const answers = [{ ...beside, err: beside.err.replace(byDaemon(daemon), "") }, alone];
      const [one, other] = answers.map(({ exitCode, out, err }) => ({
        exitCode,
        out: untimed(out),
        err: untimed(err),
      }));
      expect(one, argv.join(" ")).toEqual(other);
      expect(one?.exitCode).toBe(0);
    }
    const { out } = await start(["history", "--json"], own).ended;
    const acts = out.split("\n").filter((line) => /INC-7|it is back/.test(line));
    // Each was ordered on both ways, one after the other.
    expect(acts).toHaveLength(6);
    for (let index = 0; index < acts.length; index += 2) {
      const [one, other] = [acts[index]!, acts[index + 1]!].map((line) =>
        untimed(line).replaceAll(/"T-\d+"/g, '"T"'),
      );
      expect(one).toBe(other);
    }
  }, 300_000);

  it("whose daemon is killed before the act says so with 1, and history shows that nothing was done", async () => {
    const { env, own } = await setUp();
    const daemon = await startDaemon(env);
    const admin = new Redis(redis.url());
    onTestFinished(() => admin.disconnect());
    await admin.call("CLIENT", "PAUSE", "120000", "WRITE");
    const running = start(["pause", "--all", "--reason", "cut off", "--verbose"], env);
    await once(running.child.stderr!, "data");
    daemon.child.kill("SIGKILL");
    const { exitCode, err } = await running.ended;
    await admin.call("CLIENT", "UNPAUSE");
    expect(exitCode).toBe(1);
    expect(err).toMatch(byDaemon(daemon));
    expect(err).toMatch(/the daemon went away; redriver history shows what was done\n$/);
    expect((await start(["history", "--json"], own).ended).out).not.toContain("cut off");
  }, 180_000);

  it("finds the daemon without a word of where, and where a settings file says", async () => {
    const { own } = await setUp();
    const folder = createFolder();
    const env = { ...own, XDG_RUNTIME_DIR: folder.path, REDRIVER_SOCKET_PATH: "auto" };
    const daemon = await startDaemon(env);
    const path = join(folder.path, `redriver-${process.getuid?.()}`, "redriver.sock");
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    const file = folder.write("settings.yaml", `socket: { path: ${path} }\n`);
    // Empty is unset, as of each setting.
    const elsewhere = { ...own, REDRIVER_SOCKET_PATH: "" };
    for (const [argv, given] of [
      [["history"], env],
      [["history", "--config", file], elsewhere],
      [[`--config=${file}`, "history"], elsewhere],
      [["history"], { ...elsewhere, REDRIVER_CONFIG_FILE: file }],
    ] as const) {
      const { err } = await start([...argv, "--verbose"], given).ended;
      expect(err, argv.join(" ")).toMatch(byDaemon(daemon));
    }
    const off = folder.write("off.yaml", "socket: { path: none }\n");
    expect((await start(["history", "--verbose", "--config", off], elsewhere).ended).err).toBe("");
  }, 180_000);

  it.skipIf(process.getuid?.() !== 0)(
    "has no socket in a folder or behind a link of another user, nor asks one there",
    async () => {
      const { own } = await setUp();
      const folder = createFolder();
      const [theirs, ours, link] = ["theirs", "ours", "link"].map((name) => join(folder.path, name)) as [
        string,
        string,
        string,
      ];
      mkdirSync(theirs, { mode: 0o700 });
      mkdirSync(ours, { mode: 0o700 });
      symlinkSync(ours, link);
      chownSync(theirs, 65_534, 65_534);
      lchownSync(link, 65_534, 65_534);
      for (const where of [theirs, link]) {
        const env = { ...own, REDRIVER_SOCKET_PATH: join(where, "s") };
        const daemon = await startDaemon(env);
        await daemon.line(
          ({ event, message }) =>
            event === "process:warned" && String(message).includes(`the folder ${where} is of another user`),
        );
        expect(readdirSync(where)).toEqual([]);
        const server = createServer(() => expect.unreachable()).listen(join(where, "s"));
        await once(server, "listening");
        const { err, exitCode } = await start(["history", "--verbose"], env).ended;
        expect(err).toMatch(/is of another user: answered by this process/);
        expect(exitCode).toBe(0);
        await new Promise((resolve) => server.close(resolve));
        daemon.child.kill("SIGTERM");
        await daemon.ended;
      }
    },
    180_000,
  );

  it("goes on by itself at a dead daemon's socket, which the next daemon takes", async () => {
    const { env, path, ask } = await setUp();
    const first = await startDaemon(env);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(statSync(path).isSocket()).toBe(true);
    const alone = await ask("pause", "--all", "--reason", "x");
    expect(alone.err).toMatch(away);
    expect(alone.exitCode).toBe(0);
    const second = await startDaemon(env);
    expect((await ask("history")).err).toMatch(byDaemon(second));
  }, 180_000);

  it("asks the first of two daemons, and the second one warns", async () => {
    const { env, ask } = await setUp();
    const first = await startDaemon(env);
    const second = await startDaemon(env);
    await second.line(
      ({ event, message }) =>
        event === "process:warned" &&
        String(message).includes(`answered by the daemon ${hostname()}`) &&
        String(message).includes(`, pid ${first.child.pid};`),
    );
    expect((await ask("history")).err).toMatch(byDaemon(first));
  }, 180_000);

  it.skipIf(process.getuid?.() !== 0)(
    "asks no socket of another user",
    async () => {
      const { own } = await setUp();
      const path = join(createFolder().path, "s");
      let calls = 0;
      const server = createServer(() => {
        calls += 1;
      }).listen(path);
      onTestFinished(() => void server.close());
      chmodSync(path, 0o777);
      chownSync(path, 65_534, 65_534);
      const { err } = await start(["history", "--verbose"], { ...own, REDRIVER_SOCKET_PATH: path }).ended;
      expect(err).toMatch(/is of another user: answered by this process/);
      expect(calls).toBe(0);
    },
    180_000,
  );

  it("asks no socket in a folder of others, nor waits long for one that says nothing", async () => {
    const { own } = await setUp();
    const path = join(createFolder().path, "s");
    let calls = 0;
    const server = createServer(() => {
      calls += 1;
    }).listen(path);
    onTestFinished(() => void server.close());
    const env = { ...own, REDRIVER_SOCKET_PATH: path };
    const ask = () => start(["history", "--verbose"], env).ended;
    expect((await ask()).err).toMatch(/no daemon at .* within 1 s: answered by this process/);
    expect(calls).toBe(1);
    chmodSync(join(path, ".."), 0o777);
    expect((await ask()).err).toMatch(/others may write to the folder .*: answered by this process/);
    expect(calls).toBe(1);
    chmodSync(join(path, ".."), 0o700);
  }, 180_000);

  it("that watches ends at Ctrl-C, and when its daemon is killed says so with 1", async () => {
    const { env } = await setUp();
    const daemon = await startDaemon(env);
    const watch = async () => {
      const running = start(["status", "--watch", "--json"], env);
      await running.line(() => true);
      return running;
    };
    const stopped = await watch();
    stopped.child.kill("SIGINT");
    const alone = start(["status", "--watch", "--json"], { ...env, REDRIVER_SOCKET_PATH: "none" });
    await alone.line(() => true);
    alone.child.kill("SIGINT");
    expect((await stopped.ended).exitCode).toBe((await alone.ended).exitCode);
    const bereft = await watch();
    daemon.child.kill("SIGKILL");
    const { exitCode, err } = await bereft.ended;
    expect(exitCode).toBe(1);
    expect(err).toContain("the daemon went away");
  }, 180_000);
});

/** A peer that speaks as the command does. */
async function askOnTerminal(path: string, env: Readonly<Record<string, string>>): Promise<void> {
  const frames: { readonly ask?: string; readonly exit?: number }[] = [];
  await new Promise<void>((resolve) => {
    const socket = createConnection(path);
    createInterface({ input: socket }).on("line", (line) => {
      const frame = JSON.parse(line) as { readonly v?: number; readonly ask?: string };
      if (frame.v === undefined) frames.push(frame);
      if (frame.v === 1) {
        say(socket, {
          argv: ["pause", "--all"],
          env,
          isTerminal: true,
          window: { columns: 80, rows: 24, errColumns: 80 },
        });
      } else if (frame.ask !== undefined) say(socket, { answer: "typed in by hand" });
    });
    socket.on("close", () => resolve());
  });
  expect(frames.filter((frame) => frame.ask !== undefined)).toHaveLength(1);
  expect(frames.at(-1)).toEqual({ exit: 0 });
}

function refuseStranger(path: string): void {
  const knock = `require("net").connect(process.argv[1]).on("error", (e) => console.log(e.code))`;
  const stranger = { uid: 65_534, gid: 65_534, encoding: "utf8" } as const;
  chmodSync(join(path, "../.."), 0o755);
  expect(spawnSync(process.execPath, ["-e", knock, path], stranger).stdout).toBe("EACCES\n");
  // Also without the folder's walls.
  chmodSync(join(path, ".."), 0o755);
  expect(spawnSync(process.execPath, ["-e", knock, path], stranger).stdout).toBe("EACCES\n");
}
