import type { Presence, TextPattern } from "../rule-spec.ts";
import { compileGlob } from "./glob.ts";
import { compileRegex } from "./regex.ts";

export type Matching = Exclude<TextPattern, Presence>;

export function textOf(pattern: Matching): string {
  return pattern.kind === "glob"
    ? pattern.pattern
    : pattern.kind === "regex"
      ? pattern.source
      : pattern.value;
}

/** Tests a text. `spell`: the spelling in which the field's texts are; a regex stays as it is. */
export function compileText(
  pattern: Matching,
  spell: (text: string) => string = (text) => text,
): (text: string) => boolean {
  const wanted = spell(textOf(pattern));
  switch (pattern.kind) {
    case "exact":
      return (text) => text === wanted;
    case "glob":
      return compileGlob(wanted);
    case "prefix":
      return (text) => text.startsWith(wanted);
    case "suffix":
      return (text) => text.endsWith(wanted);
    case "regex":
      return compileRegex(pattern.source);
  }
}
