import type { Command } from "commander";
import type { Io, ProcessIo } from "./io.ts";

export interface CommandContext {
  readonly io: Io;
  /** Set by a command that does not end with 0. */
  exitWith(code: number): void;
  /** Another command, in a world of its own. Answers its exit code. */
  runCommand(argv: readonly string[], world: ProcessIo): Promise<number>;
  /** The program with the command that a line asks for; with every command if it asks for none yet. */
  allCommands(line: readonly string[]): Promise<Command>;
}

export type Register = (program: Command, context: CommandContext) => void;
