import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { runHere } from "../../support/cli.ts";
import { createFolder, start, type Running } from "../../support/command.ts";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage } from "../../support/drain-stage.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis("own");

async function setUp() {
  const { setup } = await createDrainStage({ url: redis.url() });
  const { folder } = setup;
  const path = join(createFolder().path, "own", "redriver.sock");
  const env = { ...setup.env, REDRIVER_SOCKET_PATH: path };
  const ask = (...argv: string[]) => start([...argv, "--verbose"], env).ended;
  return { env, own: setup.env, path, ask, folder };
}

const say = (socket: Socket, value: object) => socket.write(`${JSON.stringify(value)}\n`);

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
      ["failures", "list"],
      ["parked", "list", "--json"],
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
    await daemon.endsWell();
  }, 180_000);

  it("pauses all by the document in force if its file cannot be parsed, or is gone; nothing else takes it", async () => {
    const { env, own, ask, folder } = await setUp();
    const daemon = await startDaemon(env);
    for (const [round, spoil] of [
      () => void folder.write("drains.yaml", "version: 1\n drains: [\n"),
      () => rmSync(join(folder.path, "drains.yaml")),
    ].entries()) {
      spoil();
      const braked = await ask(round === 0 ? "pause" : "resume", "--all", "--reason", "the edit is broken");
      expect(braked.err).toMatch(/the daemon that answers still works by \S+ as it was before\n/);
      expect(braked).toMatchObject({
        exitCode: 0,
        err: expect.stringContaining("all drains of source default") as string,
      });
      expect((await ask("status")).err).toMatch(/still works by/);
      expect((await ask("plan", "--all")).exitCode).toBe(78);
      const alone = await runHere(["pause", "--all", "--reason", "x"], own);
      expect(alone).toMatchObject({ exitCode: 78, err: expect.stringContaining("--drains") as string });
    }
    await daemon.endsWell();
  }, 180_000);

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
    expect((await stopped.ended).exitCode).toBe(0);
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
