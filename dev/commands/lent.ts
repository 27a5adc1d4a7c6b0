import type { Command } from "commander";

/** What redriver's command line lends to the commands of this folder, which import nothing of `src`. */
export interface Lent {
  readonly io: DevIo;
  exitWith(code: number): void;
  /** An error that ends the command with 2. */
  misused(message: string, cause: unknown): Error;
  readonly input: {
    numberOf(pattern: RegExp, max: number, expected: string): (text: string) => number;
    textOf(fits: (text: string) => boolean, expected: string): (text: string) => string;
    /** A duration in ms. */
    parseDuration(text: string): { ok: true; value: number } | { ok: false; expected: string };
    parseUrl(text: string): URL | null;
  };
  readonly output: {
    toJsonLine(value: object): string;
    toFieldsText(fields: object): string;
    /** A text behind a mark, broken for a terminal. */
    toParagraph(mark: string, text: string): string;
  };
}

/** The world of a command: data goes to `out`, all else to `err`. */
export interface DevIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Answers how to stop listening. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
}

export type RegisterDev = (program: Command, lent: Lent) => void;
