/** The text of the document in force, as this replica has read it. */
import type { Core } from "../../../job/door.ts";
import { createDocumentFile } from "../../../config/document/load-document.ts";
import { findRuleLines, type RuleLines } from "../../operations/rules/read-rules.ts";

export interface RulesInForce {
  readonly text: string;
  /** Of its file, in this replica. */
  readonly path: string;
  readonly lines: RuleLines;
  /** A line each: what `redriver rules check` warns of. */
  readonly warnings: readonly string[];
}

const maxAgeMs = 1_000;

/**
 * Null: the file was replaced before anybody read the text that is in force. A file that does not load, or is not
 * adopted yet, leaves the text from before.
 */
export function createRulesInForce(
  current: () => Pick<Core, "settings" | "document">,
  now: () => number,
): () => RulesInForce | null {
  let latest: RulesInForce | null = null;
  let judged: string | null = null;
  let readAt = -Infinity;
  return () => {
    const { settings, document } = current();
    const age = now() - readAt;
    const isFresh = age >= 0 && age < maxAgeMs && latest?.lines.hash === document.hash;
    if (!isFresh) {
      readAt = now();
      const file = createDocumentFile(settings);
      const reading = file.read();
      if (reading.ok && (reading.text !== judged || latest?.lines.hash !== document.hash)) {
        judged = reading.text;
        const lines = findRuleLines(reading.text, file.path);
        const loaded = file.load(reading.text, now());
        if (lines !== null && lines.hash === document.hash && loaded.ok)
          latest = { text: reading.text, path: file.path, lines, warnings: loaded.warnings };
      }
    }
    return latest?.lines.hash === document.hash ? latest : null;
  };
}
