import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerCommands } from "../../../../src/people/cli/beside/answer-commands.ts";
import { askDaemon } from "../../../../src/people/cli/beside/ask-daemon.ts";
import type { CommandContext, ProcessIo } from "../../../../src/people/cli/io.ts";
import { createFolder } from "../../../support/command.ts";

type RunCommand = CommandContext["runCommand"];

const createPath = () => join(createFolder().path, "s");

async function startAnswering(path: string, runCommand: RunCommand) {
  const socket = await answerCommands(path, { runCommand, instance: "one", warn: expect.unreachable });
  onTestFinished(() => socket!.close());
  return socket!;
}

/** Why a daemon cannot answer there. */
async function whyNotAnswering(path: string): Promise<string> {
  let why = "";
  const parts = {
    runCommand: () => expect.unreachable(),
    instance: "two",
    warn: (text: string) => (why = text),
  };
  expect(await answerCommands(path, parts)).toBeNull();
  return why;
}

/** A server that says nothing. Answers how often it was called. */
async function startSilent(path: string): Promise<() => number> {
  let calls = 0;
  const server = createServer(() => void (calls += 1)).listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return () => calls;
}

const isNotRoot = process.getuid?.() !== 0;

/** What a command does at a socket that says nothing, and how often that was called. */
async function askSilent(path: string, change = (): void => undefined) {
  const calls = await startSilent(path);
  chmodSync(path, 0o777);
  change();
  const command = createCommand(path);
  return { exit: await command.ask("history"), err: command.said.err, calls: calls() };
}

const stranger = {
  exit: null,
  err: expect.stringMatching(/is of another user: answered by this process/) as string,
  calls: 0,
};

/** A command's process, with a window whose size changes. */
function createCommand(path: string) {
  const signals = new Map<string, (signal: NodeJS.Signals) => void>();
  const said = { out: "", err: "" };
  let columns = 80;
  const io: ProcessIo = {
    env: { REDRIVER_SOCKET_PATH: path },
    isTerminal: true,
    get columns() {
      return columns;
    },
    rows: 24,
    isOutLost: false,
    errColumns: () => columns,
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    ask: () => Promise.resolve(""),
    onSignal(listener, names = ["SIGINT"]) {
      for (const name of names) signals.set(name, listener);
      return () => {
        for (const name of names) signals.delete(name);
      };
    },
  };
  return {
    said,
    ask: (...argv: string[]) => askDaemon([...argv, "--verbose"], io),
    resize(to: number) {
      columns = to;
      signals.get("SIGWINCH")?.("SIGWINCH");
    },
    listeners: () => signals.size,
  };
}

/** A command of the daemon that goes on until it is let go. */
function createHeld() {
  const held: (() => void)[] = [];
  const begun: ProcessIo[] = [];
  const run: RunCommand = (_, io) => {
    begun.push(io);
    return new Promise((resolve) => held.push(() => resolve(0)));
  };
  return { run, begun, letGo: () => held.splice(0).forEach((go) => go()) };
}

describe("a command that a daemon answers", () => {
  it("has all of a text of 20 MiB, also characters of two units, at once", async () => {
    const path = createPath();
    const text = `${"x".repeat(65_535)}😀`.repeat(320);
    await startAnswering(path, (_, io) => {
      io.out(text);
      return Promise.resolve(3);
    });
    const command = createCommand(path);
    expect(await command.ask("status")).toBe(3);
    expect(command.said.out === text).toBe(true);
  });

  it("is ended if nobody reads what it says", async () => {
    const path = createPath();
    const { run, begun, letGo } = createHeld();
    await startAnswering(path, run);
    const socket = createConnection(path).on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(`${JSON.stringify({ argv: ["status"], env: {}, isTerminal: false, window: {} })}\n`);
    await expect.poll(() => begun.length).toBe(1);
    begun[0]!.out("x".repeat(20_971_520));
    expect(begun[0]!.isOutLost).toBe(false);
    await expect.poll(() => begun[0]!.isOutLost, { timeout: 30_000 }).toBe(true);
    letGo();
  });

  it("follows the window of its terminal", async () => {
    const path = createPath();
    const { run, begun, letGo } = createHeld();
    await startAnswering(path, run);
    const command = createCommand(path);
    const exit = command.ask("status");
    await expect.poll(() => begun[0]?.columns).toBe(80);
    command.resize(132);
    await expect.poll(() => begun[0]?.columns).toBe(132);
    expect(begun[0]?.errColumns()).toBe(132);
    letGo();
    expect(await exit).toBe(0);
    expect(command.listeners()).toBe(0);
  });

  it("is one of four; a fifth runs by itself", async () => {
    const path = createPath();
    const { run, begun, letGo } = createHeld();
    await startAnswering(path, run);
    const four = [1, 2, 3, 4].map(() => createCommand(path).ask("status"));
    await expect.poll(() => begun.length).toBe(4);
    const fifth = createCommand(path);
    expect(await fifth.ask("status")).toBeNull();
    expect(fifth.said.err).toMatch(/answered by this process\n$/);
    letGo();
    expect(await Promise.all(four)).toEqual([0, 0, 0, 0]);
  });

  it("ends with its own words while the daemon stops, and one that goes on ends with 1", async () => {
    const path = createPath();
    const ending = createHeld();
    const going = createHeld();
    const socket = await startAnswering(path, (argv, io) =>
      (argv[0] === "pause" ? ending : going).run(argv, io),
    );
    const [short, long] = [createCommand(path), createCommand(path)];
    const exits = [short.ask("pause"), long.ask("status")];
    await expect.poll(() => ending.begun.length + going.begun.length).toBe(2);
    const closed = socket.close();
    ending.begun[0]!.out("paused\n");
    ending.letGo();
    expect(await Promise.all(exits)).toEqual([0, 1]);
    expect(short.said.out).toBe("paused\n");
    expect(long.said.err).toMatch(/the daemon went away; redriver history shows what was done\n$/);
    // What still runs knows that nobody listens.
    await closed;
    await expect.poll(() => going.begun[0]?.isOutLost).toBe(true);
  });

  it("goes on by itself at a dead daemon's socket, which the next one takes; the one after that says so", async () => {
    const path = createPath();
    const dying = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    expect(spawnSync(process.execPath, ["-e", dying, path]).signal).toBe("SIGKILL");
    const command = createCommand(path);
    expect(await command.ask("pause")).toBeNull();
    expect(command.said.err).toMatch(/: answered by this process\n$/);
    await startAnswering(path, () => Promise.resolve(3));
    expect(await whyNotAnswering(path)).toContain(`answered by the daemon one, pid ${process.pid};`);
    expect(await createCommand(path).ask("pause")).toBe(3);
  });

  it("is not told what shows a whole body, which would be in the daemon's memory a few times", async () => {
    const path = createPath();
    const calls = await startSilent(path);
    expect(await createCommand(path).ask("parked", "show", "1-0", "--show-content")).toBeNull();
    expect(calls()).toBe(0);
  });

  it("is not told to a socket in a folder of others, nor for long to one that says nothing", async () => {
    const path = createPath();
    const calls = await startSilent(path);
    const command = createCommand(path);
    expect(await command.ask("history")).toBeNull();
    expect(command.said.err).toMatch(/no daemon at .* within 1 s: answered by this process/);
    chmodSync(join(path, ".."), 0o777);
    expect(await command.ask("history")).toBeNull();
    expect(command.said.err).toMatch(/others may write to the folder .*: answered by this process/);
    expect(calls()).toBe(1);
    chmodSync(join(path, ".."), 0o700);
  });

  it.skipIf(isNotRoot).each(["folder", "link"])(
    "is not told to a socket in another user's %s, where no daemon answers",
    async (kind) => {
      const { path: root } = createFolder();
      const [ours, where] = [join(root, "ours"), join(root, kind)];
      mkdirSync(ours, { mode: 0o700 });
      if (kind === "link") symlinkSync(ours, where);
      else mkdirSync(where, { mode: 0o700 });
      lchownSync(where, 65_534, 65_534);
      const path = join(where, "s");
      expect(await whyNotAnswering(path)).toContain(`the folder ${where} is of another user`);
      expect(readdirSync(where)).toEqual([]);
      expect(await askSilent(path)).toEqual(stranger);
    },
  );

  it.skipIf(isNotRoot)("is not told to another user's socket", async () => {
    const path = createPath();
    expect(await askSilent(path, () => chownSync(path, 65_534, 65_534))).toEqual(stranger);
  });

  it.each([
    [{ build: "another" }, "the daemon is of another build"],
    [{ v: 2 }, "the daemon is of another build"],
    [{ cwd: "/" }, "the daemon works in another folder"],
  ])("is not told to a daemon of %o", async (changed, why) => {
    const path = createPath();
    const asked: string[] = [];
    const real = createPath();
    await startAnswering(real, () => Promise.resolve(0));
    const [line] = (await once(createConnection(real).setEncoding("utf8"), "data")) as [string];
    const hello = { ...(JSON.parse(line) as object), ...changed };
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => asked.push(String(chunk)));
      socket.write(`${JSON.stringify(hello)}\n`);
    }).listen(path);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const command = createCommand(path);
    expect(await command.ask("status")).toBeNull();
    expect(command.said.err).toBe(`${why}: answered by this process\n`);
    expect(asked).toEqual([]);
  });
});
