import { createInterface } from "node:readline/promises";
import type { DrainsDocument } from "../../job/contracts/drains-document.ts";
import { terminalColumns } from "./output/wrap.ts";
import type { Command } from "commander";

/** What a command is started with: data goes to stdout, everything else to stderr. */
export interface ProcessIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether there is somebody who can answer: stdin is a terminal. */
  readonly isTerminal: boolean;
  /** Where lines of stdout are broken: as wide as its window is now, and 80 at least; Infinity: it is no terminal. */
  readonly columns: number;
  /** Lines of the terminal that stdout is, as large as its window is now; Infinity if it is none. */
  readonly rows: number;
  /** Whether the reader of stdout has gone away (`| head`), so that what goes on for ever may end. */
  readonly isOutLost: boolean;
  /** If a daemon answers the command: what it works by, if it has read it from this file. */
  readonly inForce?: (file: string) => DrainsDocument | null;
  /** How wide the terminal behind stderr is now; null: it is none. */
  errColumns(): number | null;
  out(text: string): void;
  err(text: string): void;
  /** One line of text; empty if there is no terminal, and at Ctrl-C. */
  ask(question: string): Promise<string>;
  /** Calls back on these, by default on those that end a command; answers how to stop listening. */
  onSignal(listener: (signal: NodeJS.Signals) => void, signals?: readonly NodeJS.Signals[]): () => void;
}

let isOutLost = false;
process.stdout.on("error", () => {
  isOutLost = true;
});

export interface Io extends ProcessIo {
  /** To stdout, with sequences that move or colour. `out` and `err` spell all of them out. */
  draw(text: string): void;
  /** Shows this line below all that is written, until the next one; null: none. Needs a terminal. */
  line(text: string | null): void;
}

export const processIo: ProcessIo = {
  env: process.env,
  isTerminal: process.stdin.isTTY,
  get columns() {
    if (!process.stdout.isTTY) return Number.POSITIVE_INFINITY;
    return Math.max(terminalColumns, process.stdout.columns || 0);
  },
  errColumns: () => (process.stderr.isTTY ? process.stderr.columns || terminalColumns : null),
  get rows() {
    // 0 if a terminal does not know its size.
    return (process.stdout.isTTY && process.stdout.rows) || Number.POSITIVE_INFINITY;
  },
  get isOutLost() {
    return isOutLost;
  },
  out: (text) => {
    process.stdout.write(text);
  },
  err: (text) => {
    process.stderr.write(text);
  },
  ask: askOnTerminal,
  // SIGHUP: its terminal is gone.
  onSignal: (listener, signals = ["SIGINT", "SIGTERM", "SIGHUP"]) => {
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
};

async function askOnTerminal(question: string): Promise<string> {
  if (!process.stdin.isTTY) return "";
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`${question} `)).trim();
  } catch {
    // Ctrl-C or the end of input at the question is no answer.
    return "";
  } finally {
    terminal.close();
  }
}

export interface CommandContext {
  readonly io: Io;
  /** Set by a command that does not end with 0. */
  exitWith(code: number): void;
  /** Another command, in a world of its own. Answers its exit code. */
  runCommand(argv: readonly string[], world: ProcessIo): Promise<number>;
  /** The program with the command that a line asks for; with every command if it asks for none yet. */
  allCommands(line: readonly string[]): Promise<Command>;
}

export type Register = (program: Command, context: CommandContext) => void;
