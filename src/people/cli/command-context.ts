import type { Command } from "commander";
import type { Io } from "./io.ts";

export interface CommandContext {
  readonly io: Io;
  /** Set by a command that does not end with 0. */
  exitWith(code: number): void;
  /** The program with every command, for one that is about all of them. */
  allCommands(): Promise<Command>;
}

export type Register = (program: Command, context: CommandContext) => void;
