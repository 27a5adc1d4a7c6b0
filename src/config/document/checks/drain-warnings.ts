import { toDestination } from "../../../job/message/destination-url.ts";
import { areDisjoint, type Filters, type Select } from "../../../job/message/select.ts";
import type { ValuePath } from "../../problem.ts";
import type { LintDrain, LintRule, LintView } from "./lint-view.ts";
import { asMap, type Raw } from "./raw-document.ts";
import type { Warn } from "./report-problem.ts";
import { warnAboutRules } from "./rule-warnings.ts";

export function findWarnings(view: LintView, document: Raw, now: number | undefined, warn: Warn): void {
  const { archive } = view;
  const drains = asMap(document["drains"]);
  for (const [index, drain] of view.drains.entries()) {
    warnAboutOverlap(drain, view.drains.slice(0, index), warn);
    warnAboutRules(drain, { archive, now }, warn);
    const others = view.drains.filter((other) => other !== drain && sharesSource(other, drain));
    const takesRest = others.some(({ name }) => selectsAll(asMap(drains[name])));
    warnAboutComeBacks(drain, takesRest, warn);
    if (!archive) warnAboutCopies(drains[drain.name], ["drains", drain.name], warn);
  }
  if (!archive) warnAboutCopies(document["defaults"], ["defaults"], warn);
}

function sharesSource(one: LintDrain, other: LintDrain): boolean {
  return one.source !== null && one.source.id === other.source?.id;
}

function selectsAll(drain: Raw): boolean {
  const { not, ...filters } = asMap(drain["select"]);
  return Object.keys(filters).length === 0 && Object.keys(asMap(not)).every((key) => notKept.has(key));
}

/** A come-back has another one, or none: it is not left to others by it. */
const notKept: ReadonlySet<string> = new Set(["messageId", "topicName", "scheduleId", "callerIp"]);

function warnAboutOverlap(drain: LintDrain, earlier: readonly LintDrain[], warn: Warn): void {
  const names = earlier.filter((one) => mayOverlap(one, drain)).map(({ name }) => name);
  if (names.length === 0) return;
  const shown =
    names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
  const why = `may select the same records as ${shown}: whichever drain comes first decides`;
  warn(["drains", drain.name], `${why}; expected select lists that have no value in common, or select.not`);
}

function warnAboutCopies(asked: unknown, path: ValuePath, warn: Warn): void {
  if (asMap(asMap(asked)["beforeExpiry"])["then"] !== "archive") return;
  warn([...path, "beforeExpiry", "then"], "copies nothing: the document has no archive");
}

function mayOverlap(one: LintDrain, other: LintDrain): boolean {
  if (one.source === null || other.source === null || one.select === null || other.select === null)
    return false;
  return one.source.id === other.source.id && !areDisjoint(one.select, other.select);
}

/**
 * A message that fails again is a dead letter that such a drain no longer lists: nothing counts its attempts,
 * lets it wait or parks it. `takesRest`: another drain of the source lists everything.
 */
function warnAboutComeBacks(drain: LintDrain, takesRest: boolean, warn: Warn): void {
  const { select, name, rules } = drain;
  const republishing = rules.filter(({ then }) => then === "republish");
  if (select === null || takesRest || republishing.length === 0) return;
  const { not: _not, ...filters } = select;
  for (const key of Object.keys(filters) as (keyof Filters)[]) {
    const why =
      key === "flowControlKey" ? whyKeyLost(drain, republishing) : whyLost(key, select, republishing);
    if (why === null) continue;
    const message = `what fails again after its redrive is not listed any more (${why}), so attempts, waits and parking never apply to it; expected ${comeBackExpected}`;
    warn(["drains", name, "select", key], message);
  }
}

const comeBackExpected =
  "url, queueName, label or flowControlKey as no rule changes them, or no select and rules that ask for host, or a second drain without select for the rest";

function whyLost(
  key: Exclude<keyof Filters, "flowControlKey">,
  select: Select,
  rules: readonly LintRule[],
): string | null {
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

/** A rule's flow control replaces that of its drain, which replaces the message's own. */
function whyKeyLost({ select, flowControlKey }: LintDrain, rules: readonly LintRule[]): string | null {
  const known = new Set(select?.flowControlKey);
  const inherits = rules.some(({ set: { flowControl } }) => flowControl === undefined);
  if (flowControlKey !== null && inherits && !known.has(flowControlKey))
    return "the drain's flowControl has a key that is not among these";
  return byRule(rules, ({ set: { flowControl } }) =>
    flowControl === undefined || known.has(flowControl?.key ?? "")
      ? null
      : "sets a flow control key that is not among these",
  );
}

function byRule(rules: readonly LintRule[], judge: (rule: LintRule) => string | null): string | null {
  for (const rule of rules) {
    const verdict = judge(rule);
    if (verdict !== null) return `rule "${rule.name}" ${verdict}`;
  }
  return null;
}
