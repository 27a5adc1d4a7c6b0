import { type FieldFace, fieldsOf, kindOf, type Operation, type Texts, toWords } from "./define.ts";

/** Words that are missing are left out. Hosts and queues are named by strangers. */
export function toCommandLine(...words: readonly (string | false | undefined)[]): string {
  const given = words.filter((word): word is string => typeof word === "string");
  return ["redriver", ...given].map(toShellWord).join(" ");
}

export const toBeWritten = "...";

export function toReasonWords({ reason = toBeWritten }: Texts): readonly string[] {
  return ["--reason", reason];
}

/** `values`: as a form sends them, of the operation's fields and `reason`. */
export function toOperationLine(operation: Operation, values: Texts): string {
  const behind: string[] = [];
  const flags: string[] = [];
  for (const [name, schema, face] of fieldsOf(operation)) {
    const text = toSent(values[name], face);
    if (text === undefined) continue;
    if (face.isArgument === true) behind.push(...toWords(text, face));
    else if (kindOf(schema) === "boolean") flags.push(toFlag(name, face));
    else flags.push(toFlag(name, face), text);
  }
  const isGiven = operation.mayHaveReason === true && values["reason"] !== undefined;
  const reason = operation.reasonOf === null && !isGiven ? [] : toReasonWords(values);
  return toCommandLine(...operation.words.split(" "), ...behind, ...flags, ...reason);
}

/** `--dlq-ids` of `dlqIds`. */
export function toFlag(field: string, { flag }: Pick<FieldFace, "flag">): string {
  return flag ?? `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A browser sends nothing for a field that is left empty. */
export function toSent(text: string | undefined, { isEmptyMeant = false }: FieldFace): string | undefined {
  return text ?? (isEmptyMeant ? "" : undefined);
}

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
