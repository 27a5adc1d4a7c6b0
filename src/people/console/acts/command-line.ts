/** What a person types into a shell to do the same. */
import { toShellWord } from "../../operations/shell-word.ts";
import type { Values } from "./act.ts";

/** Words that are missing are left out. Hosts and queues are named by strangers. */
export function toCommandLine(...words: readonly (string | false | undefined)[]): string {
  const given = words.filter((word): word is string => typeof word === "string");
  return ["redriver", ...given].map(toShellWord).join(" ");
}

/** For what the person has yet to write. */
export const toBeWritten = "...";

export function toReasonWords({ reason = toBeWritten }: Values): readonly string[] {
  return ["--reason", reason];
}
