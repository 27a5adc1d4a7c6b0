import { parseDocument, stringify } from "yaml";
import type { DrainsDocument } from "../../job/contracts/drains-document.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { findExcess, textLimits } from "../text/yaml-limits.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { loadDocument } from "./load-document.ts";
import { asMap, type Raw } from "./checks/raw-document.ts";

/**
 * The sources and drains of a document that does not load, without rules. That is enough to pause them or to
 * let them go on, never to act. Null if not even their names can be read. `rough`: reads also a text that is
 * no YAML, as far as possible; for commands that only read.
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

/**
 * What can be read of a YAML text that may have mistakes, as plain data; null if there is nothing. Never to
 * be acted on: what follows a mistake may be somewhere else than its writer meant. Never throws.
 */
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
