/** The rules in force, with their lines and with what Redis has counted for each. Pure. */
import { loadDocument } from "../../config/document/load-document.ts";
import type { DrainsDocument } from "../../ports/drains-document.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { QueueFacts } from "../../ports/queue-facts.ts";

export interface RuleLines {
  /** Of the document that this text is. */
  readonly hash: string;
  /** The line of a drain's rule, from 1 on; undefined if it has no such rule. */
  lineOf(drain: string, rule: string): number | undefined;
}

/** Loads the text, so call it once for each text. Null: it does not load. */
export function findRuleLines(text: string, fileName: string): RuleLines | null {
  const outcome = loadDocument(text, fileName);
  if (!outcome.ok) return null;
  const lines = new Map<string, number>();
  for (const { name, rules } of outcome.document.drains) {
    for (const [index, rule] of rules.entries()) {
      lines.set(toKey(name, rule.name), outcome.locate(["drains", name, "rules", index]).line);
    }
  }
  return { hash: outcome.document.hash, lineOf: (drain, rule) => lines.get(toKey(drain, rule)) };
}

function toKey(drain: string, rule: string): string {
  return JSON.stringify([drain, rule]);
}

export interface RuleStanding {
  readonly drain: DrainName;
  readonly rule: string;
  /** How many it has decided since the last full pass, by what it does: `republish`, `hold`. */
  readonly decided: Readonly<Record<string, number>>;
  /**
   * Ever, of the kinds of failure that it has decided since the last full pass. Other rules may have decided some of
   * them, and another document.
   */
  readonly published: number;
  readonly failedAgain: number;
}

/** In the order of the document. */
export function toRuleStandings(
  { drains }: Pick<DrainsDocument, "drains">,
  facts: Pick<QueueFacts, "drains">,
): readonly RuleStanding[] {
  return drains.flatMap(({ name: drain, rules }) => {
    const kinds = facts.drains.find((one) => one.drain === drain)?.facts?.failures ?? [];
    return rules.map(({ name: rule }): RuleStanding => {
      const decided: Record<string, number> = {};
      let [published, failedAgain] = [0, 0];
      for (const kind of kinds) {
        const own = Object.entries(kind.ruled).filter(([key]) => key.slice(key.indexOf(" ") + 1) === rule);
        for (const [key, count] of own) {
          const then = key.slice(0, key.indexOf(" "));
          decided[then] = (decided[then] ?? 0) + count;
        }
        if (own.length === 0) continue;
        published += kind.published;
        failedAgain += kind.failedAgain;
      }
      return { drain, rule, decided, published, failedAgain };
    });
  });
}
