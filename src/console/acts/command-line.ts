/** What a person types into a shell to do the same. */
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

/**
 * One word for any shell like sh: a container often has no other. What a screen would obey is written as its bytes,
 * and then so is what such a quote would have to be careful with, in one shell or another.
 */
function toShellWord(word: string): string {
  // zsh takes a leading = for the path of a program.
  if (/^(?!=)[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  if (!unsafe.test(word)) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return `"$(printf %b '${word.replaceAll(new RegExp(String.raw`[\\'!]|${unsafe.source}`, "gu"), toBytes)}')"`;
}

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function toBytes(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => String.raw`\0${byte.toString(8).padStart(3, "0")}`)
    .join("");
}
