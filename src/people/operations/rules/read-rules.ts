/** The rules in force, with their lines and with what Redis has counted for each. Pure. */
import { loadDocument } from "../../../config/document/load-document.ts";
import type { DrainsDocument } from "../../../job/contracts/drains-document.ts";
import type { StandingFailure } from "../../../job/contracts/failures.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";

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
   * Ever, of the kinds of failure that it has redriven since the last full pass. Other rules may have redriven some
   * of them, and another document. 0 for a rule that redrives nothing.
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
    const sums = sumByRule(facts.drains.find((one) => one.drain === drain)?.facts?.failures ?? []);
    return rules.map(({ name: rule }): RuleStanding => ({ drain, rule, ...(sums.get(rule) ?? none) }));
  });
}

type Sums = Pick<RuleStanding, "decided" | "published" | "failedAgain">;
const none: Sums = { decided: {}, published: 0, failedAgain: 0 };

/** By the rule's name. Each kind is looked at once: there are hundreds, and as many rules. */
function sumByRule(kinds: readonly StandingFailure[]): ReadonlyMap<string, Sums> {
  const sums = new Map<string, { decided: Record<string, number>; published: number; failedAgain: number }>();
  for (const { ruled, published, failedAgain } of kinds) {
    const redrivenBy = new Set<string>();
    for (const [key, count] of Object.entries(ruled)) {
      const end = key.indexOf(" ");
      const [then, rule] = [key.slice(0, end), key.slice(end + 1)];
      const sum = sums.get(rule) ?? { decided: {}, published: 0, failedAgain: 0 };
      sums.set(rule, sum);
      sum.decided[then] = (sum.decided[then] ?? 0) + count;
      // A rule that only holds a kind has no part in what others redrove of it.
      if (then === "republish") redrivenBy.add(rule);
    }
    for (const rule of redrivenBy) {
      const sum = sums.get(rule)!;
      sum.published += published;
      sum.failedAgain += failedAgain;
    }
  }
  return sums;
}
