import type { Core } from "../../../job/door.ts";
import { createDocumentFile } from "../../../config/document/load-document.ts";

export type RulesInForce = NonNullable<ReturnType<typeof readRules>>;

const maxAgeMs = 1_000;

/**
 * Null: the file was replaced before anybody read the text that is in force. A file that does not load, or is not
 * adopted yet, leaves the text from before.
 */
export function createRulesInForce(current: () => Pick<Core, "settings" | "document">, now: () => number) {
  let latest: RulesInForce | null = null;
  let judged: string | null = null;
  let readAt = -Infinity;
  return (): RulesInForce | null => {
    const { settings, document } = current();
    const age = now() - readAt;
    const isFresh = age >= 0 && age < maxAgeMs && latest?.hash === document.hash;
    if (!isFresh) {
      readAt = now();
      const file = createDocumentFile(settings);
      const reading = file.read();
      if (reading.ok && (reading.text !== judged || latest?.hash !== document.hash)) {
        judged = reading.text;
        const rules = readRules(file, reading.text, now());
        if (rules?.hash === document.hash) latest = rules;
      }
    }
    return latest?.hash === document.hash ? latest : null;
  };
}

const toKey = (drain: string, rule: string): string => JSON.stringify([drain, rule]);

/** Null: it does not load. */
function readRules(file: ReturnType<typeof createDocumentFile>, text: string, now: number) {
  const loaded = file.load(text, now);
  if (!loaded.ok) return null;
  const { document, warnings, locate } = loaded;
  const lines = new Map(
    document.drains.flatMap(({ name, rules }) =>
      rules.map((rule, at) => [toKey(name, rule.name), locate(["drains", name, "rules", at]).line] as const),
    ),
  );
  return {
    text,
    hash: document.hash,
    /** Of its file, in this replica. */
    path: file.path,
    /** The line of a drain's rule, from 1 on; undefined if it has no such rule. */
    lineOf: (drain: string, rule: string): number | undefined => lines.get(toKey(drain, rule)),
    /** A line each: what `redriver rules check` warns of. */
    warnings,
  };
}
