import type { Register } from "../command-context.ts";

/** `redriver demo`: see src/demo. Loaded only when asked for. */
export const registerDemo: Register = (program, { io, exitWith }) => {
  program
    .command("demo")
    .description(
      "run the main job on an embedded stack: emulator, receiver, Redis and the daemon as processes of their own",
    )
    .option("--messages <count>", "messages to publish", "2000")
    .option("--keep", "leave the stack running at the end, until Ctrl-C")
    .option("--json", "print the summary as one line of JSON")
    .action(async (options: { messages: string; keep?: boolean; json?: boolean }) => {
      const { runDemo } = await import("../../demo/run-demo.ts");
      exitWith(
        await runDemo({
          messages: Number(options.messages),
          keep: options.keep === true,
          json: options.json === true,
          io,
        }),
      );
    });
};
