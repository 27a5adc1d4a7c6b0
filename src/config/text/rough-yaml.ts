import { parseDocument } from "yaml";
import { findExcess } from "./token-gate.ts";

/**
 * What can be made out of a YAML text that may have mistakes, as plain data; null where there is nothing. Never to be acted on: what
 * stands behind a mistake may be somewhere else than its writer meant. Never throws.
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
