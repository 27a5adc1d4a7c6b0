#!/usr/bin/env node
import { keepHeapSmall } from "./steady-memory.ts";

const argv = process.argv.slice(2);
const commands = new Set([
  "run",
  "drain",
  "plan",
  "apply",
  "status",
  "pause",
  "resume",
  "parked",
  "history",
  "rules",
  "config",
  "archive",
  "index",
  "emulator",
  "demo",
]);
/** They go through a backlog of any size page by page. */
const paging: readonly (string | undefined)[] = ["run", "plan", "apply"];
// Global options may stand before the command; `pause run` has another command first.
if (paging.includes(argv.find((word) => commands.has(word)))) keepHeapSmall();

// Whoever read the output may go away (`| head`); the work goes on to its end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const { processIo } = await import("./cli/io.ts");
const { runCli } = await import("./cli/program.ts");

process.exitCode = await runCli(argv, processIo);
