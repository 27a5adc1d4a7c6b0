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

/** One word for bash. What a screen would obey is written as its bytes. */
function toShellWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  if (!unsafe.test(word)) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const text = word.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(new RegExp(unsafe, "gu"), toBytes);
  return `$'${text}'`;
}

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function toBytes(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => String.raw`\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
}
