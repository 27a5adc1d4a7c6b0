import { describeRebuild } from "../../message/describe-rebuild.ts";
import type { Show } from "../../message/masked-text.ts";
import { toShownUrl } from "../../message/shown-url.ts";
import type { ForeseenRecord } from "./next-decision.ts";
import type { RuleEntry } from "./rule-report.ts";
import { hostOf } from "./target.ts";

/** What is counted of a record that has just been decided. */
export function toRuleEntry(
  { decided, candidate, facts, next }: ForeseenRecord,
  { headerPrefix, show }: { readonly headerPrefix: string; readonly show: Show },
): RuleEntry {
  const { letter, decision, attempt } = decided;
  const common = {
    dlqId: letter.dlqId,
    status: letter.responseStatus ?? null,
    losses: candidate?.losses ?? [],
  };
  return {
    ...common,
    then: decision.then,
    reason: decision.reason,
    next,
    now: facts.now,
    enteredAt: letter.enteredAt,
    expiresAt: facts.expiresAt,
    host: hostOf(letter.url),
    toSample: () => ({
      ...common,
      url: toShownUrl(letter.url, show),
      attempt,
      redrive: candidate?.lineage.attempt ?? attempt + 1,
      changes: candidate === null ? [] : describeRebuild(letter, candidate.toItem(1), { headerPrefix, show }),
    }),
  };
}
