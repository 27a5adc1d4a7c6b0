/**
 * One word for any shell like sh: a container often has no other. What a screen would obey is written as its bytes,
 * and then so is what such a quote would have to be careful with, in one shell or another.
 */
export function toShellWord(word: string): string {
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
