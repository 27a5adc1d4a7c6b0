#!/usr/bin/env node
import { keepHeapSmall } from "./steady-memory.ts";

const argv = process.argv.slice(2);
const commands = new Set([
  "run",
  "drain",
  "status",
  "pause",
  "resume",
  "config",
  "index",
  "emulator",
  "demo",
]);
// Global options may stand before the command; `pause run` has another command first.
if (argv.find((word) => commands.has(word)) === "run") keepHeapSmall();

// Whoever read the output may go away (`| head`); the work goes on to its end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const { processIo } = await import("./cli/io.ts");
const { runCli } = await import("./cli/program.ts");

process.exitCode = await runCli(argv, processIo);
