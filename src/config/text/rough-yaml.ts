import { parseDocument } from "yaml";
import { findExcess } from "./token-gate.ts";

/**
 * What can be read of a YAML text that may have mistakes, as plain data; null if there is nothing. Never to be acted on: what
 * follows a mistake may be somewhere else than its writer meant. Never throws.
 */
export function parseRoughly(text: string): unknown {
  if (findExcess(text) !== null) return null;
  try {
    const document = parseDocument(text, {
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
      resolveKnownTags: false,
      logLevel: "silent",
    });
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch {
    return null;
  }
}
