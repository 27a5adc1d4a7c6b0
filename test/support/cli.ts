import { expect } from "vitest";
import { runCli } from "../../src/people/cli/program.ts";

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
  /** What is typed where a text is asked for. */
  readonly answer?: string;
  /** Handed what a Ctrl-C would call, once a command listens. */
  readonly onListening?: (interrupt: () => void) => void;
  /** Handed what the command writes to stdout, as it does. */
  readonly onOut?: (text: string) => void;
  /** Handed what the command writes to stderr, as it does. */
  readonly onErr?: (text: string) => void;
}

/** Runs a command in this process, with only this environment. */
export async function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { terminal = false, confirm = false, answer = "", onListening, onOut, onErr }: CliHere = {},
): Promise<CliAnswer> {
  let out = "";
  let err = "";
  const questions: string[] = [];
  const exitCode = await runCli(argv, {
    env,
    isTerminal: terminal,
    columns: terminal ? 80 : Infinity,
    rows: terminal ? 24 : Infinity,
    isOutLost: false,
    errColumns: () => (terminal ? 80 : null),
    out: (text) => {
      out += text;
      onOut?.(text);
    },
    err: (text) => {
      err += text;
      onErr?.(text);
    },
    ask: (question) => {
      const [, yesOrNo] = /^([^]*) \[y\/N\]$/.exec(question) ?? [];
      questions.push(yesOrNo ?? question);
      return Promise.resolve(yesOrNo === undefined ? answer : confirm ? "y" : "");
    },
    onSignal: (listener) => {
      onListening?.(() => listener("SIGINT"));
      return () => undefined;
    },
  });
  return { exitCode, out, err, questions };
}

export type Row = Readonly<Record<string, unknown>>;

/** What an output with an object in each line has. */
export function linesOf(out: string): readonly Row[] {
  return out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));
}

/** A command of this process that goes on until it is interrupted. `printed`: what it writes first to stdout. */
export function startHere(...argv: readonly string[]) {
  let interrupt: (() => void) | undefined;
  let ended!: Promise<CliAnswer>;
  const printed = new Promise<string>((resolve, reject) => {
    ended = runHere(argv, {}, { onOut: resolve, onListening: (stop) => (interrupt = stop) });
    void ended.then(({ exitCode, err }) => reject(new Error(`ended with ${exitCode}: ${err}`)));
  });
  // Only looked at by who waits for output.
  printed.catch(() => undefined);
  return { ended, printed, interrupt: () => interrupt?.() };
}

/** Without the warnings that a document selects what a redrive does not keep, for tests of something else. */
export function withoutComeBackWarnings({ err, ...answer }: CliAnswer): CliAnswer {
  return { ...answer, err: err.replaceAll(/^warning: .*: what fails again after its redrive .*\n/gm, "") };
}

/** The command ended with this code, has printed nothing, and told this. */
export function expectTold(answer: CliAnswer, exitCode: number, told: string | RegExp): void {
  const err: unknown = typeof told === "string" ? expect.stringContaining(told) : expect.stringMatching(told);
  expect(answer).toMatchObject({ exitCode, out: "", err });
}
