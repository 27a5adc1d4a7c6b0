import { stringify } from "yaml";
import type { DrainsDocument } from "../../ports/drains.ts";
import { readTextFile } from "../text/read-text-file.ts";
import { textLimits } from "../text/token-gate.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { loadDocument } from "./load-document.ts";
import { asMap, type Raw } from "./raw.ts";

/**
 * The sources and drains of a document that does not load, without rules: enough to hold them back or to let them go on, never to
 * act. Null where not even their names can be read.
 */
export function readBareDocument(path: string): DrainsDocument | null {
  const file = readTextFile(path, textLimits.maxBytes);
  const reading = file.ok ? parseYaml(file.text, path) : null;
  if (reading === null || !reading.ok) return null;
  const document = asMap(reading.tree.value);
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
