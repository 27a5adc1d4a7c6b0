import type { ProcessIo } from "../../src/people/cli/io.ts";
import { runCli } from "../../src/people/cli/program.ts";

export interface Answer {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, without a terminal, with nothing in its environment but this. */
export async function ask(argv: readonly string[], env: Record<string, string> = {}): Promise<Answer> {
  let out = "";
  let err = "";
  const io: ProcessIo = {
    env,
    isTerminal: false,
    columns: Infinity,
    rows: Infinity,
    isOutLost: false,
    errColumns: () => null,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    confirm: () => Promise.resolve(false),
    ask: () => Promise.resolve(""),
    onSignal: () => () => undefined,
  };
  const exitCode = await runCli(argv, io);
  return { exitCode, out, err };
}
