import { formatDuration } from "../../../rules/format-duration.ts";
import type { Condition, NumberPattern, TextPattern } from "../../../rules/spec.ts";
import { nearestName } from "../../nearest-name.ts";
import { quoted } from "../../problem.ts";
import type { Warn, WarningContext } from "./rule-warnings.ts";

/** RFC 9110, 9.3, and PATCH of RFC 5789. */
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/** Values that a record could have by the grammar of their field, and that none has. Answers whether something was warned of. */
export function warnAboutValues(
  condition: Condition,
  retentionMs: number | null,
  { places, saidAt }: Pick<WarningContext, "places" | "saidAt">,
  warn: Warn,
): boolean {
  const inside = (inner: Condition): boolean => warnAboutValues(inner, retentionMs, { places, saidAt }, warn);
  switch (condition.kind) {
    case "all":
    case "some":
      return condition.of.map(inside).includes(true);
    case "not":
      return inside(condition.of);
    case "text":
    case "duration": {
      const found =
        condition.kind === "duration"
          ? beyondRetention(condition.field, condition.oneOf, retentionMs)
          : condition.oneOf.map((pattern) => misspelt(condition.field, pattern)).find((one) => one !== null);
      if (found === undefined || found === null) return false;
      const path = places.get(condition);
      if (path === undefined) return false;
      const { why, expected, said = saidAt(path) } = found;
      warn(path, expected, `can never hold for ${said}: ${why}; expected ${expected}`, said);
      return true;
    }
    case "any":
    case "number":
    case "header":
    case "address":
    case "value":
      return false;
  }
}

interface Misfit {
  /** Absent: all that the test says. */
  readonly said?: string;
  readonly why: string;
  readonly expected: string;
}

function misspelt(field: string, pattern: TextPattern): Misfit | null {
  if (field === "method") return misspeltMethod(pattern);
  return field === "url" ? withoutScheme(pattern) : null;
}

/** A method of one's own is as good as any; only one that is nearly a known one is taken for a slip. */
function misspeltMethod(pattern: TextPattern): Misfit | null {
  if (pattern.kind !== "exact") return null;
  const said = pattern.value.toUpperCase();
  const meant = methods.includes(said) ? undefined : nearestName(said, methods);
  if (meant === undefined) return null;
  return { said: quoted(said), why: "no usual HTTP method has this name", expected: meant };
}

/** `url` is the whole address, and every record's begins with its scheme. */
function withoutScheme(pattern: TextPattern): Misfit | null {
  const start = startOf(pattern)?.toLowerCase();
  if (start === undefined) return null;
  if (["http://", "https://"].some((scheme) => start.startsWith(scheme) || beginsAs(scheme, start, pattern)))
    return null;
  return {
    said: quoted(
      pattern.kind === "glob" ? pattern.pattern : pattern.kind === "exact" ? pattern.value : start,
    ),
    why: "a url begins with http:// or https://",
    expected: "a whole address, or a glob such as https://api.example.com/*; host and path ask for its parts",
  };
}

function beginsAs(scheme: string, start: string, pattern: TextPattern): boolean {
  return pattern.kind !== "exact" && scheme.startsWith(start);
}

/** What every text that matches begins with; undefined where that is not known. */
function startOf(pattern: TextPattern): string | undefined {
  switch (pattern.kind) {
    case "exact":
    case "prefix":
      return pattern.value;
    case "glob":
      return pattern.pattern.slice(0, pattern.pattern.indexOf("*"));
    case "suffix":
    case "regex":
    case "some":
    case "none":
      return undefined;
  }
}

function beyondRetention(
  field: string,
  oneOf: readonly NumberPattern[],
  retentionMs: number | null,
): Misfit | null {
  if (field === "messageAge" || retentionMs === null) return null;
  const beyond = oneOf.filter((pattern) => pattern.kind === "range" && pattern.from > retentionMs);
  if (beyond.length === 0) return null;
  const retention = formatDuration(retentionMs);
  return {
    why: `a record stays ${retention} in the queue, the source's retention`,
    expected: `at most ${retention}, or the retention of your plan at the source`,
  };
}
