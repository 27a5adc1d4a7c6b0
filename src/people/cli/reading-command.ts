/** The command of a reading: its arguments and flags follow from the declaration. What a person sees of it is written out. */
import type { Command } from "commander";
import { systemClock } from "../../system-world.ts";
import type { Fields, Given, Reading, ReadingCall } from "../operations/reading.ts";
import type { CommandContext } from "./command-context.ts";
import { loadAll, loadForReading } from "./load-config.ts";
import { addFields, readFields } from "./operation-command.ts";
import { withRedisAndStop } from "./with-redis-and-stop.ts";

/** Of some readings. */
type Flags = Readonly<{ json?: boolean; limit?: number; out?: string }>;

/** Below `parent`, of a reading that has one. Answers it, for flags of its own. */
export function addReading<Shape extends Fields>(
  parent: Command,
  { command: typed, input, ofOperator, needs }: Reading<Shape>,
  context: CommandContext,
  show: (call: ReadingCall<Given<Shape>>, flags: Flags) => Promise<void>,
): Command {
  // A command calls the service anyway.
  const fields = { input: ofOperator === undefined ? input : input.omit({ [ofOperator]: true } as never) };
  const { words, about } = typed!;
  const isDefault = words.endsWith(" list");
  const command = parent.command(words.split(" ").at(-1) ?? words, { isDefault }).description(about);
  addFields(command, fields);
  command.action(async (...given: readonly unknown[]) => {
    const asked = readFields(fields, given);
    const loaded = (needs === "names" ? loadForReading : loadAll)(command, context.io);
    await withRedisAndStop(loaded, context, async (core, { signal, stopping }) => {
      const call = {
        core,
        input: asked as Given<Shape>,
        isWhole: loaded.problems === 0,
        now: systemClock.now(),
        signal: AbortSignal.any([signal, stopping]),
        plans: async () => (await import("./plans/open-desk.ts")).openDesk(core),
      };
      await show(call, given.at(-2) as Flags);
    });
  });
  return command;
}
