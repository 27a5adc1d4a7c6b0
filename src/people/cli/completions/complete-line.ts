/** What a shell may put in the place of the last word of a line. */
import type { CommandEntry, Word } from "./command-table.ts";

export interface Completion {
  readonly words: readonly Word[];
  /** Files too. */
  readonly files: boolean;
  /** Drains of the document too. */
  readonly drains: boolean;
}

/**
 * `typed`: the words behind `redriver`, the one under the cursor last. The shell leaves out what does not begin as that
 * one does.
 */
export function completeLine(table: readonly CommandEntry[], typed: readonly string[]): Completion {
  const options = table.flatMap((entry) => entry.options);
  // None takes a value in one command alone.
  const withValue = new Set(options.flatMap(({ names, value }) => (value === null ? [] : names)));
  const word = typed.at(-1) ?? "";
  let path = table[0]?.path ?? "";
  let option: string | null = null;
  for (const next of typed.slice(0, -1)) {
    // Bash takes the = behind an option for a word.
    if (option !== null) option = next === "=" ? option : null;
    else if (withValue.has(next)) option = next;
    else if (table.some((entry) => entry.path === `${path} ${next}`)) path += ` ${next}`;
  }
  const entry = table.find((one) => one.path === path);
  if (entry === undefined) return nothing;
  const [, joined] = /^(--[\w-]+)=/.exec(word) ?? [];
  const named = joined ?? option;
  if (named !== null) {
    const value = entry.options.find(({ names }) => names.includes(named))?.value;
    const prefix = joined === undefined ? "" : `${joined}=`;
    const choices = typeof value === "object" && value !== null ? value : [];
    return {
      words: choices.map((name) => ({ name: `${prefix}${name}`, description: "" })),
      files: value === "file",
      drains: value === "drain",
    };
  }
  const { words, takesFile, takesDrains } = entry;
  if (!word.startsWith("-") && (words.length > 0 || takesFile || takesDrains)) {
    return { words, files: takesFile, drains: takesDrains };
  }
  return {
    ...nothing,
    words: entry.options.flatMap(({ names, description }) => names.map((name) => ({ name, description }))),
  };
}

const nothing: Completion = { words: [], files: false, drains: false };
