#!/usr/bin/env node
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { askedCommand } from "./people/cli/asked-command.ts";
import { compileLess, keepHeapSteady } from "./steady-memory.ts";

const argv = process.argv.slice(2);
/** They work through a backlog of any size page by page. */
const paging: readonly (string | undefined)[] = ["run", "plan", "apply", "parked"];
const command = askedCommand(argv);
if (paging.includes(command)) keepHeapSteady(command === "run");
if (command === "run" || command === "drain") compileLess();

// For each address of a host. A handshake around the world, or on a busy machine, takes longer than Node's 250 ms.
setDefaultAutoSelectFamilyAttemptTimeout(2_000);

// Nothing begins until the daemon itself listens for signals. The first process of a container would not hear
// a signal without a listener.
if (command === "run") {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) process.exit(0);
    });
  }
}

// Until then it has nothing to read again.
if (command === "run") process.on("SIGHUP", () => undefined);

let isOutputLost = false;
process.stderr.on("error", () => undefined);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the output may go away (`| head`); the work goes on to its end.
  if (error.code === "EPIPE" || isOutputLost) return;
  isOutputLost = true;
  process.stderr.write(`redriver: stdout cannot be written: ${error.code ?? error.name}\n`);
});

const { processIo } = await import("./people/cli/io.ts");
// A command that the daemon beside it answers loads nothing more.
const { askDaemon } = await import("./people/cli/beside/ask-daemon.ts");
const answered = await askDaemon(argv, processIo);
const exitCode = answered ?? (await (await import("./people/cli/program.ts")).runCli(argv, processIo));
// An error of the last write comes after this line.
process.exitCode = exitCode;
process.once("exit", () => {
  if (isOutputLost && exitCode === 0) process.exitCode = 1;
});
