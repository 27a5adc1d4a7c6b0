import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessIo, CommandContext } from "../io.ts";
import { findOpenFolder, onLines, readBuild, send, type Hello, type Reply, type Request } from "./wire.ts";

/** Each has a core of its own: connections to Redis, and memory for some pages. */
const maxCommands = 4;
/** Characters. An environment and a command line. */
const maxRequest = 1_048_576;
/** A peer that asks for nothing, or reads nothing of what is too much, is left then. */
const peerWithinMs = 5_000;
/** Bytes. A command whose reader leaves more than that is ended, if he reads nothing. */
const maxUnread = 16 * 1_048_576;
/** Characters. A longer text is several. */
const piece = /[^]{1,65536}/gu;
/** Most commands end sooner by themselves, and their last words say what they did. */
const endWithinMs = 1_000;

/**
 * Answers commands of this user at a socket. Null, and why is said, if there can be none: the daemon works
 * without it, and so do commands.
 */
export async function answerCommands(
  path: string,
  {
    runCommand,
    instance,
    inForce,
    warn,
  }: Pick<CommandContext, "runCommand"> &
    Pick<ProcessIo, "inForce"> & { readonly instance: string; readonly warn: (why: string) => void },
) {
  const open = new Set<Socket>();
  const running = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    const timer = setTimeout(() => socket.destroy(), peerWithinMs);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      open.delete(socket);
    });
    let command: ReturnType<typeof createRemote> | null = null;
    socket.on("end", () => (command === null ? socket.destroy() : command.stop()));
    socket.on("close", () => command?.gone());
    onLines(socket, maxRequest, (value) => {
      if (command !== null) return command.take(value as Reply);
      clearTimeout(timer);
      const request = value as Request;
      command = createRemote(socket, request, inForce);
      const answered = answer(socket, request, command.io).finally(() => running.delete(answered));
      running.add(answered);
    });
    // Nothing is said to one too many: it goes on in its own process.
    if (open.size > maxCommands) socket.destroy();
    else send(socket, { v: 1, build: readBuild(), cwd: process.cwd(), instance, pid: process.pid });
  });
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const why = findOpenFolder(path);
    if (why !== null) throw new Error(why);
    await removeDead(path);
    await listen();
  } catch (error) {
    warn(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
  server.on("error", () => undefined);
  server.unref();
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.race([Promise.all(running), delay(endWithinMs, undefined, { ref: false })]);
      for (const socket of open) socket.destroy();
      await closed;
    },
  };

  /** Resolves when its last word is sent. No command ends the daemon. */
  async function answer(socket: Socket, request: Request, io: ProcessIo): Promise<void> {
    const exit = await runCommand(request.argv, io).catch(() => 1);
    send(socket, { exit });
    await new Promise<void>((resolve) => socket.end(() => resolve()));
  }

  /** Nobody else can open it, not even for a moment: it is made under a mask. */
  function listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      const before = process.umask(0o177);
      try {
        server.listen(path, () => {
          chmodSync(path, 0o600);
          resolve();
        });
      } finally {
        process.umask(before);
      }
    });
  }
}

/** Throws if a daemon answers there, and says which one, or if it is no socket. */
async function removeDead(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error("is no socket");
  const holder = await new Promise<string | null>((resolve) => {
    const socket = createConnection(path);
    const say = (who: string | null): void => {
      clearTimeout(timer);
      resolve(who);
      socket.destroy();
    };
    const timer = setTimeout(() => say("a process that says nothing"), peerWithinMs);
    socket.on("error", (error: NodeJS.ErrnoException) =>
      say(error.code === "ECONNREFUSED" ? null : error.message),
    );
    socket.on("close", () => say("a process that is busy"));
    onLines(socket, maxRequest, (value) => {
      const { instance, pid } = value as Hello;
      say(`the daemon ${instance}, pid ${pid}`);
    });
  });
  if (holder !== null) throw new Error(`answered by ${holder}; commands ask that one, or none`);
  rmSync(path);
}

function createRemote(socket: Socket, request: Request, inForce: ProcessIo["inForce"]) {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const answers: ((given: string) => void)[] = [];
  let isStopped = false;
  let isOutLost = false;
  let taken = 0;
  let isWatched = false;
  let { window } = request;
  /** Its process got a signal, and still reads what the command says. */
  const stop = (): void => {
    isStopped = true;
    for (const give of answers.splice(0)) give("");
    for (const listener of listeners) listener("SIGINT");
  };
  const watchReader = (): void => {
    if (isWatched || socket.writableLength <= maxUnread) return;
    isWatched = true;
    const before = taken;
    setTimeout(() => {
      isWatched = false;
      if (taken === before) socket.destroy();
      else watchReader();
    }, peerWithinMs).unref();
  };
  const say = (stream: "out" | "err", text: string): void => {
    // Cut between two characters, also if one of them has two units.
    for (const part of text.match(piece) ?? []) {
      send(socket, stream === "out" ? { out: part } : { err: part }, () => (taken += 1));
    }
    watchReader();
  };
  const io: ProcessIo = {
    env: request.env,
    isTerminal: request.isTerminal,
    ...(inForce && { inForce }),
    get columns() {
      return window.columns ?? Number.POSITIVE_INFINITY;
    },
    get rows() {
      return window.rows ?? Number.POSITIVE_INFINITY;
    },
    errColumns: () => window.errColumns,
    get isOutLost() {
      return isOutLost;
    },
    out: (text) => say("out", text),
    err: (text) => say("err", text),
    ask(question) {
      send(socket, { ask: question });
      return isStopped ? Promise.resolve("") : new Promise((resolve) => answers.push(resolve));
    },
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    io,
    stop,
    gone(): void {
      isOutLost = true;
      stop();
    },
    take(reply: Reply): void {
      if ("answer" in reply) answers.shift()?.(reply.answer);
      else if ("window" in reply) ({ window } = reply);
      else isOutLost = true;
    },
  };
}
