/** From the root of the repository: plays `plan` and `apply` of the incident, and draws docs/plan-and-apply.svg. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openCheckout } from "../../pages/incident/checkout.ts";
import { startFirstTerminal } from "../../pages/incident/first-terminal.ts";
import { demoLine } from "../../pages/incident/run-steps.ts";
import { createScreen } from "../../support/screen.ts";
import { question, runInTerminal } from "../../support/terminal.ts";
import { createRecorder } from "./recording.ts";
import { toTerminalSvg } from "./terminal-svg.ts";

const columns = 80;
/** A person reads before the next command. */
const readMs = 2_500;
const commands = [
  "redriver plan payments --out payments.ndjson",
  'redriver apply payments.ndjson --reason "INC-7: the database is back"',
];

using checkout = openCheckout(".");
await using first = startFirstTerminal(demoLine, checkout);
await first.until([/The console is at/]);
rmSync(path.join(checkout.cwd, ".cache/incident/receiver-is-down"));

const screen = createScreen(columns);
const recorder = createRecorder();
const startedAt = Date.now();
const write = (text: string): void => {
  screen.write(text);
  recorder.see(screen.rows(), Date.now() - startedAt);
};
for (const command of commands) {
  write(`$ ${command}\n`);
  const exitCode = await runInTerminal({
    command: `redriver() { exec node dist/main.js "$@"; }; ${command}`,
    cwd: checkout.cwd,
    env: { ...checkout.env, NO_COLOR: "1", REDRIVER_CONFIG_FILE: ".cache/incident/settings.json" },
    columns,
    onOutput: write,
    answer: { to: question, text: "y\n", afterMs: 1_500 },
  });
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}`);
  if (command === commands.at(-1)) break;
  await sleep(readMs);
  write("\n");
}
const recording = recorder.recording(columns, Date.now() - startedAt);
const sight = {
  title: "redriver plan, then redriver apply",
  what: "A plan of 60 dead letters shows what would be done, why and what it costs, and freezes it in a file. Apply decides all 60 again, asks, sends five, then the rest, and counts what became of them.",
};
writeFileSync("docs/plan-and-apply.svg", toTerminalSvg(recording, sight));
