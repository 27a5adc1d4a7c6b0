import { toDestination } from "../../../job/message/destination-url.ts";
import { areDisjoint, type Filters } from "../../../job/message/select.ts";
import type { ValuePath } from "../../problem.ts";
import { canonicalJson } from "../meaning-hashes.ts";
import type { LintDrain, LintRule, LintView } from "./lint-view.ts";
import { asMap, type Raw, type Warn } from "./raw-document.ts";

/** `now` in Unix ms; without it no date is judged. */
export function findWarnings(view: LintView, document: Raw, now: number | undefined, warn: Warn): void {
  const { archive } = view;
  const drains = asMap(document["drains"]);
  for (const [index, drain] of view.drains.entries()) {
    warnAboutOverlap(drain, view.drains.slice(0, index), warn);
    warnAboutRules(drain, archive, now, warn);
    const others = view.drains.filter((other) => other !== drain && sharesSource(other, drain));
    const takesRest = others.some(({ name }) => selectsAll(asMap(drains[name])));
    if (!takesRest) warnAboutComeBacks(drain, warn);
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
  const { select } = drain;
  if (select === null) return;
  const names = earlier
    .filter((one) => sharesSource(one, drain) && one.select !== null && !areDisjoint(one.select, select))
    .map(({ name }) => name);
  if (names.length === 0) return;
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  const why = `may select the same records as ${names.slice(0, 5).join(", ")}${more}: whichever drain comes first decides`;
  warn(["drains", drain.name], `${why}; expected select lists that have no value in common, or select.not`);
}

function warnAboutCopies(asked: unknown, path: ValuePath, warn: Warn): void {
  if (asMap(asMap(asked)["beforeExpiry"])["then"] !== "archive") return;
  warn([...path, "beforeExpiry", "then"], "copies nothing: the document has no archive");
}

/** Such a drain does not list a message that fails again: nothing counts its attempts or parks it. */
function warnAboutComeBacks(drain: LintDrain, warn: Warn): void {
  const republishing = drain.rules.filter(({ then }) => then === "republish");
  if (drain.select === null || republishing.length === 0) return;
  const { not: _not, ...filters } = drain.select;
  for (const key of Object.keys(filters) as (keyof Filters)[]) {
    const why = whyLost(key, drain, filters, republishing);
    if (why === null) continue;
    const message = `what fails again after its redrive is not listed any more (${why}), so attempts, waits and parking never apply to it; expected ${comeBackExpected}`;
    warn(["drains", drain.name, "select", key], message);
  }
}

const comeBackExpected =
  "url, queueName, label or flowControlKey as no rule changes them, or no select and rules that ask for host, or a second drain without select for the rest";

function whyLost(
  key: keyof Filters,
  drain: LintDrain,
  filters: Filters,
  rules: readonly LintRule[],
): string | null {
  const known = new Set<unknown>([filters[key]].flat());
  const byRule = (what: string, isKept: (set: LintRule["set"]) => boolean): string | null => {
    const rule = rules.find(({ set }) => !isKept(set));
    return rule === undefined ? null : `rule "${rule.name}" sets ${what} not among these`;
  };
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
    case "url":
      return byRule("a destination that is", ({ destination }) =>
        destination === undefined
          ? true
          : (filters.url ?? []).some((url) => known.has(toDestination(url, destination) ?? url)),
      );
    case "queueName":
      return byRule("a queue that is", ({ queue }) => queue === undefined || known.has(queue));
    case "label":
      return byRule("labels that are", ({ labels }) => labels?.some((label) => known.has(label)) ?? true);
    // A rule's flow control replaces that of its drain, which replaces the message's own.
    case "flowControlKey": {
      const inherits = rules.some(({ set: { flowControl } }) => flowControl === undefined);
      if (drain.flowControlKey !== null && inherits && !known.has(drain.flowControlKey))
        return "the drain's flowControl has a key that is not among these";
      return byRule("a flow control key that is", ({ flowControl }) =>
        flowControl === undefined ? true : known.has(flowControl?.key),
      );
    }
    // Whether it fails with the same status again depends on its receiver.
    case "responseStatus":
      return null;
  }
}

/** Rules that load and never decide, or not as they seem to: only what one date or an equal rule shows. */
function warnAboutRules(drain: LintDrain, archive: boolean, now: number | undefined, warn: Warn): void {
  const hiding = new Map<string, LintRule>();
  for (const [index, rule] of drain.rules.entries()) {
    const here = ["drains", drain.name, "rules", index];
    const hidden = whyHidden(rule, hiding);
    if (hidden !== null) warn(here, hidden);
    if (now !== undefined && rule.ignoreAfter !== undefined && rule.ignoreAfter < now) {
      const since = new Date(rule.ignoreAfter).toISOString();
      warn([...here, "ignoreAfter"], `is skipped: its ignoreAfter ${since} has passed`);
    }
    // In a live drain that is a problem already.
    if (rule.then === "drop" && !archive && !drain.isLive) {
      const why = "a drop is archived first, and the document has no archive";
      warn([...here, "then"], `will be refused in a live drain: ${why}`);
    }
  }
}

const always = canonicalJson({ kind: "any" });

/** `hiding`: the rules above by their condition; of equal ones that which is asked the longest. */
function whyHidden(rule: LintRule, hiding: Map<string, LintRule>): string | null {
  if (rule.when === null) return null;
  const key = canonicalJson(rule.when);
  const known = hiding.get(key);
  const above = [hiding.get(always), known].find((one) => one !== undefined && lasts(one, rule));
  if (known === undefined || !lasts(known, rule)) hiding.set(key, rule);
  if (above === undefined) return null;
  return above.when?.kind === "any"
    ? `is never asked: rule "${above.name}" above it matches every record`
    : `never decides: rule "${above.name}" above it has the same condition`;
}

/** A rule that is skipped some day hides only what is skipped by then too. */
function lasts(above: LintRule, below: LintRule): boolean {
  return (above.ignoreAfter ?? Infinity) >= (below.ignoreAfter ?? Infinity);
}
