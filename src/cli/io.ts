import { createInterface } from "node:readline/promises";
import { terminalColumns } from "./output/wrap.ts";

/** What a command is started with: data goes to stdout, everything else to stderr. */
export interface ProcessIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether there is somebody who can answer: stdin is a terminal. */
  readonly isTerminal: boolean;
  /** Where lines of stdout are broken; Infinity: nowhere, because it is no terminal. */
  readonly columns: number;
  /** How wide the terminal behind stderr is now; null: it is none. */
  errColumns(): number | null;
  out(text: string): void;
  err(text: string): void;
  confirm(question: string): Promise<boolean>;
  /** Calls back on SIGINT and SIGTERM; answers how to stop listening. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
}

/** The world of a command that runs. */
export interface Io extends ProcessIo {
  /** Shows this line below all that is written, until the next one; null: none. Needs a terminal. */
  line(text: string | null): void;
}

export const processIo: ProcessIo = {
  env: process.env,
  isTerminal: process.stdin.isTTY,
  columns: process.stdout.isTTY ? terminalColumns : Number.POSITIVE_INFINITY,
  errColumns: () => (process.stderr.isTTY ? process.stderr.columns || terminalColumns : null),
  out: (text) => {
    process.stdout.write(text);
  },
  err: (text) => {
    process.stderr.write(text);
  },
  confirm: async (question) => {
    if (!process.stdin.isTTY) return false;
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await terminal.question(`${question} [y/N] `);
      return ["y", "yes"].includes(answer.trim().toLowerCase());
    } catch {
      // Ctrl-C or the end of input at the question is a no.
      return false;
    } finally {
      terminal.close();
    }
  },
  onSignal: (listener) => {
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
    return () => {
      process.off("SIGINT", listener);
      process.off("SIGTERM", listener);
    };
  },
};
