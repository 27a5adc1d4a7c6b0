import { covers, type Budget } from "../../../rules/lint/covers.ts";
import { formatDuration } from "../../../rules/format-duration.ts";
import { judgeCondition, oldestAge } from "../../../rules/lint/never-holds.ts";
import type { Condition } from "../../../rules/spec.ts";
import type { ValuePath } from "../../problem.ts";
import { toContradictionWarning } from "./contradiction-text.ts";
import { canHold, toSelected } from "./select-checks.ts";
import type { StandingDrain, StandingRule } from "./standing.ts";
import type { Places } from "../to-condition.ts";
import { warnAboutValues } from "./value-warnings.ts";

export type Warn = (path: ValuePath, expected: string, message: string, found?: string) => void;

export interface WarningContext {
  /** Whether the document has an archive. */
  readonly archive: boolean;
  readonly places: Places;
  /** What the document says at a key, with the key: `age "> 4d"`. */
  readonly saidAt: (path: ValuePath) => string;
  /** Unix ms; without it no date is judged. */
  readonly now: number | undefined;
  readonly budget: Budget;
}

/** Rules that load and never decide, or not as they seem to. */
export function warnAboutRules(drain: StandingDrain, context: WarningContext, warn: Warn): void {
  const { archive, now } = context;
  for (const [index, rule] of drain.rules.entries()) {
    const here = ["drains", drain.name, "rules", index];
    const isDead =
      warnAboutContradictions(drain, rule, here, context, warn) ||
      warnIfHidden(drain, index, here, context, warn);
    const isMisspelt = warnAboutValues(rule.readable, drain.source?.retentionMs ?? null, context, warn);
    if (!isDead && !isMisspelt) warnIfNeverDue(drain, rule, here, context, warn);
    if (now !== undefined && rule.ignoreAfter !== undefined && rule.ignoreAfter < now) {
      const since = new Date(rule.ignoreAfter).toISOString();
      warn(
        [...here, "ignoreAfter"],
        "a date to come, or no such rule",
        `is skipped: its ignoreAfter ${since} has passed`,
      );
    }
    // In a live drain that is a problem already.
    if (rule.then === "drop" && !archive && !drain.isLive) {
      warn(
        [...here, "then"],
        "archive: { dir: … } at the top of the document",
        "will be refused in a live drain: a drop is archived first, and the document has no archive",
      );
    }
  }
}

/** Answers whether the rule as a whole can never hold, whatever the queue and the other rules are. */
function warnAboutContradictions(
  { source }: StandingDrain,
  { readable }: StandingRule,
  here: ValuePath,
  { places, budget }: WarningContext,
  warn: Warn,
): boolean {
  const known = { retentionMs: source?.retentionMs ?? null };
  const { never, contradictions } = judgeCondition(readable, known, budget);
  for (const one of contradictions) {
    const { expected, message, found } = toContradictionWarning(one, places);
    warn(places.get(one.at) ?? [...here, "when"], expected, message, found);
  }
  return never;
}

function warnIfHidden(
  drain: StandingDrain,
  index: number,
  here: ValuePath,
  { budget }: WarningContext,
  warn: Warn,
): boolean {
  const rule = drain.rules[index];
  if (rule === undefined || rule.when === null) return false;
  const earlier = drain.rules.slice(0, index).find((candidate) => hides(candidate, rule, budget));
  if (earlier !== undefined) {
    const expected = "rules without when, or when: any, last; the narrower of two rules first";
    warn(here, expected, hiddenBy(earlier));
    return true;
  }
  if (drain.select === null || canHold(rule.when, toSelected(drain.select), budget)) return false;
  warn(
    [...here, "when"],
    "values that the drain's select lists",
    "can never hold: no record that select lists has these values",
  );
  return true;
}

/** Only a person's release publishes what is younger than minAge and the waits allow; nothing drops what is younger than minAge. */
function warnIfNeverDue(
  { dueFrom, source }: StandingDrain,
  { then, readable }: StandingRule,
  here: ValuePath,
  { places, saidAt }: WarningContext,
  warn: Warn,
): void {
  if ((then !== "republish" && then !== "drop") || dueFrom === null) return;
  const oldestMs = oldestAge(readable, source?.retentionMs ?? null);
  const dueFromMs = dueFrom[then];
  if (oldestMs >= dueFromMs) return;
  const [limit, due] = [Math.max(0, oldestMs), dueFromMs].map(formatDuration);
  const asked = agesAskedFor(readable)
    .map((test) => saidAt(places.get(test) ?? []))
    .join(" and ");
  const [act, by, keys] =
    then === "drop"
      ? ["never drops", "dropped", ["minAge"]]
      : ["never republishes by itself", "due", ["minAge", "attempts.wait"]];
  warn(
    [...here, "when"],
    `an age of ${due} or more, or a lower ${keys.join(" and ")}`,
    `${act}: it asks for ${asked}, which is an age of at most ${limit}, and nothing is ${by} before ${due} (${keys.join(", ")})`,
  );
}

/** Its tests of age and timeLeft. */
function agesAskedFor(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case "all":
    case "some":
      return condition.of.flatMap(agesAskedFor);
    case "duration":
      return condition.field === "messageAge" ? [] : [condition];
    case "not":
    case "any":
    case "text":
    case "number":
    case "header":
    case "address":
    case "value":
      return [];
  }
}

/** A rule that is skipped some day hides only what is skipped by then too. */
function hides(earlier: StandingRule, later: StandingRule, budget: Budget): boolean {
  if (earlier.when === null || later.when === null) return false;
  const until = earlier.ignoreAfter ?? Number.POSITIVE_INFINITY;
  if (until < (later.ignoreAfter ?? Number.POSITIVE_INFINITY)) return false;
  return covers(earlier.when, later.when, budget);
}

function hiddenBy({ name, when }: StandingRule): string {
  return when?.kind === "any"
    ? `is never asked: rule "${name}" above it holds for every record`
    : `never decides: rule "${name}" above it holds for every record that this one does`;
}
