import { runCli } from "../../src/cli/program.ts";

export interface CliAnswer {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** What was asked on the terminal. */
  readonly questions: readonly string[];
}

export interface CliHere {
  /** Without one, nothing can be asked. */
  readonly terminal?: boolean;
  /** The answer to every question. */
  readonly confirm?: boolean;
  /** Handed what a Ctrl-C would call, once a command listens. */
  readonly onListening?: (interrupt: () => void) => void;
  /** Handed what the command writes to stderr, as it does. */
  readonly onErr?: (text: string) => void;
}

/** Runs a command in this process, with only this environment. */
export async function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { terminal = false, confirm = false, onListening, onErr }: CliHere = {},
): Promise<CliAnswer> {
  let out = "";
  let err = "";
  const questions: string[] = [];
  const exitCode = await runCli(argv, {
    env,
    isTerminal: terminal,
    columns: terminal ? 80 : Infinity,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
      onErr?.(text);
    },
    confirm: (question) => {
      questions.push(question);
      return Promise.resolve(confirm);
    },
    onSignal: (listener) => {
      onListening?.(() => listener("SIGINT"));
      return () => undefined;
    },
  });
  return { exitCode, out, err, questions };
}

/** Without the warnings that a document selects what a redrive does not keep, for tests of something else. */
export function withoutComeBackWarnings({ err, ...answer }: CliAnswer): CliAnswer {
  return { ...answer, err: err.replaceAll(/^warning: .*: what fails again after its redrive .*\n/gm, "") };
}
