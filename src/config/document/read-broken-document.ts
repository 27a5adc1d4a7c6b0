import { parseDocument, stringify } from "yaml";
import type { DrainsDocument } from "../../job/contracts/drains-document.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { findExcess, textLimits } from "../text/yaml-limits.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { loadDocument } from "./load-document.ts";
import { asMap, type Raw } from "./checks/raw-document.ts";

/**
 * Sources and drains of a document that does not load, without rules: enough to pause or resume them, never to
 * act. Null: their names cannot be read. `rough`: also of what is no YAML; for commands that only read.
 */
export function readBrokenDocument(path: string, how: "strict" | "rough" = "strict"): DrainsDocument | null {
  const file = readTextFile(path, textLimits.maxBytes);
  if (!file.ok) return null;
  const reading = parseYaml(file.text, path);
  if (!reading.ok && how === "strict") return null;
  const document = asMap(reading.ok ? reading.tree.value : parseRoughly(file.text));
  const bare = {
    version: 1,
    sources: each(document["sources"], ({ id, url, token }) => ({ id, url, token })),
    drains: each(document["drains"], ({ source }) => ({ source })),
  };
  const outcome = loadDocument(stringify(bare), path);
  return outcome.ok ? outcome.document : null;
}

function each(section: unknown, keep: (member: Raw) => Raw): Raw {
  return Object.fromEntries(
    Object.entries(asMap(section)).map(([name, member]) => [name, keep(asMap(member))]),
  );
}

/** Never to be acted on: what follows a mistake may be somewhere else than its writer meant. Never throws. */
function parseRoughly(text: string): unknown {
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
