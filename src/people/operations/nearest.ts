import { nearestName } from "../../config/nearest-name.ts";

/** `; did you mean "pay.example.com"?`; empty if no known name is near. */
export function toMeant(word: string, known: Iterable<string>): string {
  const meant = nearestName(word, [...new Set(known)]);
  return meant === undefined || meant === word ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}
