import { Option } from "commander";
import { maxNameCharacters } from "../../operations/define.ts";
import { currentUser } from "./current-user.ts";
import { textOf } from "./option-values.ts";

const isName = (text: string): boolean => text.trim() !== "" && text.length <= maxNameCharacters;

/** `--by`: who acts, for the audit. */
export function byOption(about: string, preset: string | null = currentUser()): Option {
  const toName = textOf(isName, `a name of at most ${maxNameCharacters} characters`);
  const option = new Option("--by <name>", about).argParser(toName);
  return preset === null ? option : option.default(preset);
}
