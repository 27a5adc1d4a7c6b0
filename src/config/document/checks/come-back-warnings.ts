import { toDestination } from "../../../message/destination.ts";
import type { Select } from "../../../ports/service.ts";
import type { LintDrain, LintRule, Warn } from "./lint-view.ts";

/**
 * A drain that selects by what a redrive does not keep: a message that fails again becomes a dead letter that
 * this drain no longer lists, so nothing counts its attempts, lets it wait or parks it. `takesRest`: another
 * drain of the source lists everything.
 */
export function warnAboutComeBacks(drain: LintDrain, takesRest: boolean, warn: Warn): void {
  const { select, name, rules } = drain;
  const republishing = rules.filter(({ then }) => then === "republish");
  if (select === null || takesRest || republishing.length === 0) return;
  for (const key of Object.keys(select) as (keyof Select)[]) {
    const why = whyLost(key, select, republishing);
    if (why === null) continue;
    const message = `what fails again after its redrive is not listed any more (${why}), so attempts, waits and parking never apply to it; expected ${expected}`;
    warn(["drains", name, "select", key], expected, message);
  }
}

const expected =
  "url, queueName or label as no rule changes them, or no select and rules that ask for host, or a second drain without select for the rest";

/**
 * Null if a record that is selected by it is selected again when it comes back, as far as the document shows.
 */
function whyLost(key: keyof Select, select: Select, rules: readonly LintRule[]): string | null {
  switch (key) {
    case "topicName":
      return "it keeps no topicName: it goes to the one endpoint that failed";
    case "scheduleId":
      return "it keeps no scheduleId";
    case "callerIp":
      return "its callerIp is redriver's own";
    case "messageId":
      return "it has another messageId";
    // Which of the addresses a rule matches is not asked: one that stays among them is enough.
    case "url": {
      const known = new Set(select.url);
      return byRule(rules, ({ set: { destination } }) =>
        destination === undefined ||
        [...known].some((url) => known.has(toDestination(url, destination) ?? url))
          ? null
          : "sets a destination that is not among these",
      );
    }
    case "queueName":
      return byRule(rules, ({ set: { queue } }) =>
        queue === undefined || (queue !== null && select.queueName?.includes(queue) === true)
          ? null
          : "sets a queue that is not among these",
      );
    case "label":
      return byRule(rules, ({ set: { labels } }) =>
        labels === undefined || labels.some((label) => select.label?.includes(label) === true)
          ? null
          : "sets labels that are not among these",
      );
    // Whether it fails with the same status again depends on its receiver.
    case "responseStatus":
      return null;
  }
}

function byRule(rules: readonly LintRule[], judge: (rule: LintRule) => string | null): string | null {
  for (const rule of rules) {
    const verdict = judge(rule);
    if (verdict !== null) return `rule "${rule.name}" ${verdict}`;
  }
  return null;
}
