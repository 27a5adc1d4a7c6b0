/** What a person types into a shell to do the same. */
import { fieldsOf, kindOf, toWords, type FieldFace, type Operation, type Texts } from "./define.ts";
import { toShellWord } from "./shell-word.ts";

/** Words that are missing are left out. Hosts and queues are named by strangers. */
export function toCommandLine(...words: readonly (string | false | undefined)[]): string {
  const given = words.filter((word): word is string => typeof word === "string");
  return ["redriver", ...given].map(toShellWord).join(" ");
}

/** For what the person has yet to write. */
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
