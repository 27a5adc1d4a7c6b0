import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

/** util-linux's, which gives a command a terminal of its own. */
const scriptPath = "/usr/bin/script";
export const hasTerminal = existsSync(scriptPath);

export interface TerminalCommand {
  /** For a shell. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns: number;
  readonly onOutput: (text: string) => void;
  /** What a person types, some time after the question has ended with this. */
  readonly answer?: { readonly to: string; readonly text: string; readonly afterMs: number };
}

/** Runs it as if a person had typed it: stdin, stdout and stderr are one terminal. Resolves to the exit code. */
export function runInTerminal(typed: TerminalCommand): Promise<number | null> {
  const { command, cwd, env, columns, onOutput, answer } = typed;
  const child = spawn(
    scriptPath,
    ["--quiet", "--flush", "--return", "--command", `stty cols ${columns} rows 50; ${command}`, "/dev/null"],
    { cwd, env: { ...env, SHELL: "/bin/bash", TERM: "xterm" }, stdio: ["pipe", "pipe", "inherit"] },
  );
  let all = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    onOutput(text);
    if (answer === undefined || all.includes(answer.to)) return;
    all += text;
    if (all.includes(answer.to)) setTimeout(() => child.stdin.write(answer.text), answer.afterMs);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}
