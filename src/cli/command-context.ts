import type { Command } from "commander";
import type { Io } from "./io.ts";

export interface CommandContext {
  readonly io: Io;
  /** Set by a command that does not end with 0. */
  exitWith(code: number): void;
}

export type Register = (program: Command, context: CommandContext) => void;
