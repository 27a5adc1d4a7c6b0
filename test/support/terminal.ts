import { spawn } from "node:child_process";

/** util-linux's, which gives a command a terminal of its own. */
export const scriptPath = "/usr/bin/script";

/** How a question of ours ends. */
export const question = "[y/N] ";

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
    onOutput(withoutMoves(text));
    if (answer === undefined || all.includes(answer.to)) return;
    all += text;
    if (all.includes(answer.to)) setTimeout(() => child.stdin.write(answer.text), answer.afterMs);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** Of a question: back to the first column, and erase what is behind the cursor, where nothing is. */
function withoutMoves(text: string): string {
  const [first = "", ...rest] = text.split("\u001B[");
  const parts = rest.map((part) => (part.startsWith("2K") ? `\u001B[${part}` : toMove(part)));
  return [first, ...parts].join("");
}

function toMove(part: string): string {
  return part.replace(/^1G/, "\r").replace(/^\d*[GJ]/, "");
}
