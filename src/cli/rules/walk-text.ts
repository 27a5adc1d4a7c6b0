import type { RuleStep } from "../../rules/explain-rules.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";

/** How each rule fared, from the top. Rules below the one that decided are named in one line. */
export function toWalkText(columns: number, steps: readonly RuleStep[], otherwise: string): string {
  const asked = steps.filter(({ outcome }) => outcome !== "not-reached");
  const notAsked = steps.filter(({ outcome }) => outcome === "not-reached").map(({ rule }) => rule);
  const held = steps.some(({ outcome }) => outcome === "held");
  return [
    "  rules\n",
    ...asked.map(({ rule, outcome, why }) => wrapWords(columns, 4, marks[outcome], `${rule}: ${why}`)),
    wrapList(columns, 4, "not asked", notAsked),
    ...(held ? [] : [`    ${"yes".padEnd(markWidth)}otherwise: ${otherwise}\n`]),
  ].join("");
}

const markWidth = 10;

const marks: Readonly<Record<RuleStep["outcome"], string>> = {
  held: "yes".padEnd(markWidth),
  failed: "no".padEnd(markWidth),
  ignored: "ignored".padEnd(markWidth),
  "not-reached": "not asked".padEnd(markWidth),
};
