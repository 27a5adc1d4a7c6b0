#!/usr/bin/env node
import { keepHeapSmall } from "./steady-memory.ts";

const argv = process.argv.slice(2);
if (argv.includes("run")) keepHeapSmall();

const { processIo } = await import("./cli/io.ts");
const { runCli } = await import("./cli/program.ts");

process.exitCode = await runCli(argv, processIo);
