import { setTimeout as sleep } from "node:timers/promises";
import { createScreen } from "../../support/screen.ts";
import { question, runInTerminal } from "../../support/terminal.ts";
import { startFirstTerminal } from "./first-terminal.ts";
import type { PageStep } from "./page-steps.ts";
import { pairFailures } from "./stable-text.ts";

export interface StepRun {
  readonly step: PageStep;
  /** The commands, with the dead letter that this run has. */
  readonly typed: readonly string[];
  readonly exitCode: number | null;
  /** As the terminal shows it in the end, without colours. */
  readonly output: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Added to the command that starts the first terminal. */
  readonly demoFlags: string;
}

export const buildLine = "npm ci && npm run build";
export const demoLine = "node dist/main.js demo --incident";

const columns = 80;
const withinMs = 60_000;
const againAfterMs = 500;

/** At this width a column of zeros is left out. */
const isDrained = (output: string): boolean => !/^destination .* (waiting|parked) /m.test(output);

/** A reader looks again until it is there: by the command, and the how many-th time it is. */
const waitsFor: Readonly<Record<string, (output: string) => boolean>> = {
  // All canaries are back, and counted.
  "redriver failures 1": (output) => /^orders\S+ .* 5\n +failed again 5;/m.test(output),
  "redriver lanes 1": (output) => /a probe failed again, 503; last probe/.test(output),
  "redriver status 1": (output) => output.startsWith("draining"),
  "redriver lanes 2": (output) => output.match(/ open /g)?.length === 2,
  "redriver failures 2": isDrained,
};

/** Runs a tutorial's commands one after the other, each in a terminal, as its reader does. */
export async function runSteps(steps: readonly PageStep[], options: RunOptions): Promise<readonly StepRun[]> {
  const runs: StepRun[] = [];
  const prologue: string[] = [];
  const failures = new Map<string, string>();
  const looks = new Map<string, number>();
  let dlqId = "";
  await using first = startFirstTerminal(`${demoLine}${options.demoFlags}`, options);

  for (const step of steps) {
    if (step.commands.length === 0) {
      const output = await first.until([/webhooks: drained/, /payments: drained/]);
      runs.push({ step, typed: [], exitCode: 0, output });
      continue;
    }
    // Of several commands the last one's output is shown.
    let last: { readonly output: string; readonly exitCode: number | null } = { output: "", exitCode: 0 };
    const typed: string[] = [];
    for (const line of step.commands) {
      typed.push(line.replace(/\d{13}-\d+/, dlqId));
      if (line === demoLine)
        last = { output: await first.until([/PAGER/, /The console is at/]), exitCode: 0 };
      else if (/^export |^\w+\(\) /.test(line)) prologue.push(line);
      else if (line !== buildLine) last = await runLine(line);
      if (last.exitCode !== 0) break;
    }
    for (const [from, to] of pairFailures(step.shown ?? "", last.output)) failures.set(from, to);
    dlqId = /\d{13}-\d+/.exec(last.output)?.[0] ?? dlqId;
    runs.push({ step, typed, ...last });
  }
  return runs;

  async function runLine(line: string): Promise<{ output: string; exitCode: number | null }> {
    const look = (looks.get(line) ?? 0) + 1;
    looks.set(line, look);
    const until = waitsFor[`${line} ${look}`];
    const command = [...failures].reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      line.replace(/\d{13}-\d+/, dlqId),
    );
    for (const startedAt = Date.now(); ; await sleep(againAfterMs)) {
      const screen = createScreen(columns);
      const exitCode = await runInTerminal({
        command: [...prologue, command].join("\n"),
        cwd: options.cwd,
        env: { ...options.env, NO_COLOR: "1" },
        columns,
        onOutput: (text) => screen.write(text),
        answer: { to: question, text: "y\n", afterMs: 0 },
      });
      const output = screen
        .rows()
        .map((row) => row.trimEnd())
        .join("\n")
        .trimEnd();
      const isThere = until === undefined || until(output);
      if (isThere || Date.now() - startedAt > withinMs) return { output, exitCode };
    }
  }
}
