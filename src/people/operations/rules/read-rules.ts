/** The rules in force, with what Redis has counted for each. */
import { z } from "zod";
import type { DrainsDocument } from "../../../job/contracts/drains-document.ts";
import type { StandingFailure } from "../../../job/contracts/failures.ts";
import { drainName, type Frozen } from "../../../job/contracts/plans.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import { count, counts, defineReading, time } from "../reading.ts";

const ruleStanding = z.object({
  drain: drainName,
  rule: z.string(),
  decided: counts.describe(
    "Decisions since the last full pass, by what it does. Each pass that lists a letter decides it again.",
  ),
  published: count.nullable().describe("By this rule; null: nothing is known to be."),
  failedAgain: count.nullable().describe("Of these."),
  asOf: time.nullable().describe("End of the last complete pass: what failed again before it is counted."),
});
export type RuleStanding = Frozen<z.infer<typeof ruleStanding>>;

export function toRuleStandings(
  { drains }: Pick<DrainsDocument, "drains">,
  facts: Pick<QueueFacts, "drains" | "sources">,
): readonly RuleStanding[] {
  const counted = facts.sources.flatMap(({ summary }) => summary?.rules ?? []);
  return drains.flatMap(({ name: drain, rules }) => {
    const of = facts.drains.find((one) => one.drain === drain)?.facts;
    const decided = decidedByRule(of?.failures ?? []);
    const counts = new Map(counted.filter((one) => one.drain === drain).map((one) => [one.rule, one]));
    const asOf = of?.lastSuccessAt ?? null;
    return rules.map(({ name: rule }): RuleStanding => {
      const { published = null, failedAgain = null } = counts.get(rule) ?? {};
      return { drain, rule, decided: decided.get(rule) ?? {}, published, failedAgain, asOf };
    });
  });
}

/** By the rule's name. Each kind is looked at once: there are hundreds, and as many rules. */
function decidedByRule(kinds: readonly Pick<StandingFailure, "ruled">[]) {
  const sums = new Map<string, Record<string, number>>();
  for (const { ruled } of kinds) {
    for (const [key, count] of Object.entries(ruled)) {
      const end = key.indexOf(" ");
      const [then, rule] = [key.slice(0, end), key.slice(end + 1)];
      const sum = sums.get(rule) ?? {};
      sums.set(rule, sum);
      sum[then] = (sum[then] ?? 0) + count;
    }
  }
  return sums;
}

export const rulesReading = defineReading({
  path: "/rules",
  summary: "The rules in force, in the order of the document, and what each has done",
  needs: "rules",
  input: z.strictObject({}),
  answer: z.object({ documentHash: z.string(), rules: z.array(ruleStanding) }),
  run: async ({ core: { document }, recent }) => ({
    documentHash: document.hash,
    rules: toRuleStandings(document, await recent.facts()),
  }),
});
