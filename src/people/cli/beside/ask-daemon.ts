import { lstatSync } from "node:fs";
import { createConnection } from "node:net";
import { askedCommand } from "../asked-command.ts";
import type { ProcessIo } from "../io.ts";
import {
  findOpenFolder,
  readSocketPath,
  onLines,
  readBuild,
  send,
  type CommandFrame,
  type Hello,
  type TerminalSize,
} from "./wire.ts";

/** They read or order little. The others work for long, or are about this process. */
const asked: ReadonlySet<string | undefined> = new Set([
  "status",
  "pause",
  "resume",
  "lanes",
  "parked",
  "plans",
  "failures",
  "history",
  "index",
]);
const helloWithinMs = 1_000;
/** Characters. A text of the daemon has 65,536 at most, and each is six if it is escaped. */
const maxFrame = 1_048_576;

/**
 * Has the daemon beside run this command. Null: none answers, so this process runs it. Once it is asked, the
 * command is never run again: an act may have begun.
 */
export async function askDaemon(argv: readonly string[], io: ProcessIo): Promise<number | null> {
  // A whole body on its way to here would be in the daemon's memory a few times.
  const mayAsk = asked.has(askedCommand(argv)) && !argv.includes("--show-content");
  const path = mayAsk ? await readSocketPath(argv, io.env) : null;
  if (path === null) return null;
  const isVerbose = argv.includes("--verbose");
  const tell = (text: string): void => {
    if (isVerbose) io.err(`${text}\n`);
  };
  const why = findStranger(path);
  if (why !== null) {
    tell(`${why}: answered by this process`);
    return null;
  }
  return new Promise((resolve) => {
    const socket = createConnection(path);
    let isAsked = false;
    let isDone = false;
    const forget: (() => void)[] = [];
    const end = (code: number | null): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      for (const one of forget) one();
      socket.destroy();
      resolve(code);
    };
    const decline = (reason: string): void => {
      if (!isDone) tell(`${reason}: answered by this process`);
      end(null);
    };
    const timer = setTimeout(() => decline(`no daemon at ${path} within 1 s`), helloWithinMs);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (!isAsked) return decline(`no daemon at ${path}`);
      if (isDone) return;
      io.err("redriver: the daemon went away; redriver history shows what was done\n");
      end(1);
    });
    onLines(socket, maxFrame, (value) => {
      if (isAsked) return take(value as CommandFrame);
      const hello = value as Hello;
      if (hello.v !== 1 || hello.build !== readBuild()) return decline("the daemon is of another build");
      if (hello.cwd !== process.cwd()) return decline("the daemon works in another folder");
      clearTimeout(timer);
      isAsked = true;
      tell(`answered by the daemon ${hello.instance}, pid ${hello.pid}`);
      // The end of its side is the daemon's signal to stop, which answers with its last words. A second signal
      // waits for no words: the command has left work, as far as this process knows.
      forget.push(
        io.onSignal(() => {
          if (socket.writableEnded) end(3);
          else socket.end();
        }),
        io.onSignal(() => send(socket, { window: windowOf(io) }), ["SIGWINCH"]),
      );
      send(socket, { argv, env: io.env, isTerminal: io.isTerminal, window: windowOf(io) });
    });
    function take(frame: CommandFrame): void {
      if ("out" in frame) {
        io.out(frame.out);
        if (io.isOutLost) send(socket, { outLost: true });
      } else if ("err" in frame) io.err(frame.err);
      else if ("exit" in frame) end(frame.exit);
      else void io.ask(frame.ask).then((answer) => send(socket, { answer }));
    }
  });
}

/** Why nothing may be asked at this path; null: a socket of this very user is there. */
function findStranger(path: string): string | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return `no daemon at ${path}`;
    if (!found.isSocket()) return `${path} is no socket`;
    if (found.uid !== process.getuid?.()) return `${path} is of another user`;
    return findOpenFolder(path);
  } catch {
    return `${path} cannot be reached by this user`;
  }
}

function windowOf(io: ProcessIo): TerminalSize {
  return { columns: finite(io.columns), rows: finite(io.rows), errColumns: io.errColumns() };
}

function finite(count: number): number | null {
  return Number.isFinite(count) ? count : null;
}
