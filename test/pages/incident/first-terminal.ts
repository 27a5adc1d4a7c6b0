import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const withinMs = 90_000;
const pollMs = 100;

/** The demo, which runs while the reader types elsewhere. */
export function startFirstTerminal(
  command: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
) {
  const child = spawn("bash", ["-c", `exec ${command} 2>&1`], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let text = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return {
    /** What it has printed since the last look, once all of these are in it, or when time is up. Rejects if it ended. */
    async until(all: readonly RegExp[]): Promise<string> {
      const isThere = (): boolean => all.every((part) => part.test(text.slice(seen)));
      for (const startedAt = Date.now(); !isThere() && Date.now() - startedAt < withinMs;) {
        if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${text}`);
        await sleep(pollMs);
      }
      const news = text.slice(seen);
      seen = text.length;
      return news.replace(/^\n+/, "").trimEnd();
    },
    /** Ctrl-C, and its exit code. */
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGINT");
      await closed;
    },
  };
}
