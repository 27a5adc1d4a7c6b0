import { hasPlaceholder, slipInHost } from "../../../job/message/host-and-path.ts";
import { describeCondition } from "../../../job/rules/explain-rules.ts";
import { findClash } from "../../../job/rules/find-clash.ts";
import { meantAsNumbers } from "../../../job/rules/patterns/lookalikes.ts";
import { leavesOf, textFields, type Condition, type Leaf } from "../../../job/rules/rule-spec.ts";
import { quoted } from "../../problem.ts";
import type { Places } from "../compile-document.ts";
import type { LintDrain } from "./lint-view.ts";
import { judgePatterns } from "./pattern-checks.ts";
import { valueAt, type Raw, type Report, type Warn } from "./raw-document.ts";

/** Reports what a rule asks for and no record can have, and warns of what probably none has. */
export function checkWhens(
  drain: LintDrain,
  { places, document }: { readonly places: Places; readonly document: Raw },
  { report, warn }: { readonly report: Report; readonly warn: Warn },
): void {
  const retentionMs = drain.source?.retentionMs ?? null;
  for (const [index, rule] of drain.rules.entries()) {
    const when = ["drains", drain.name, "rules", index, "when"];
    const refused = new Set<Leaf>();
    for (const leaf of leavesOf(rule.readable)) {
      const place = places.get(leaf) ?? when;
      const found = judgePatterns(leaf, retentionMs);
      if (found?.kind === "warning") warn(place, found.message);
      if (found?.kind === "problem") {
        report(place, "key", found.message);
        refused.add(leaf);
        continue;
      }
      for (const text of [valueAt(document, place)].flat()) {
        if (typeof text !== "string") continue;
        const got = isSecretive(leaf) ? "" : `, got ${quoted(text)}`;
        const isHost = leaf.kind === "text" && leaf.field === "host";
        const doubt = isHost ? doubtOfHost(text) : doubtOf(text, leaf);
        if (doubt === null) continue;
        const message = `${doubt[0]}; expected ${doubt[1]}{ equals: … } if this very text is meant${got}`;
        if (isHost) report(place, "key", message);
        else warn(place, message);
      }
    }
    for (const clash of clashesIn(rule.readable)) {
      if (refused.has(clash.test) || refused.has(clash.other)) continue;
      const expected = "tests that one record can pass, or any: [ … ] for either";
      const message = `can never match beside ${describeCondition(clash.other)}; expected ${expected}`;
      report(places.get(clash.test) ?? when, "key", message);
    }
  }
}

function clashesIn(condition: Condition): readonly NonNullable<ReturnType<typeof findClash>>[] {
  const clash = findClash(condition);
  if (clash !== null) return [clash];
  if (condition.kind === "not") return clashesIn(condition.of);
  return condition.kind === "all" ? condition.of.flatMap(clashesIn) : [];
}

/** Header values, and addresses with their queries, are never repeated. */
function isSecretive(leaf: Leaf): boolean {
  return leaf.kind === "header" || (leaf.kind === "text" && textFields[leaf.field] === "address");
}

/** Why a plain text, one without a form such as `equals`, may not be meant as it is, and what may be. */
type Doubt = readonly [why: string, expected: string] | null;

function doubtOfHost(text: string): Doubt {
  const slip = slipInHost(text);
  if (slip === null) return null;
  const proposed = /^\.+[^.]/.test(text) ? `*.${text.replace(/^\.+/, "")}` : "";
  const isGood = proposed !== "" && slipInHost(proposed) === null;
  return [
    `no receiver has this host: ${slip}`,
    `a host such as ${isGood ? proposed : "api.example.com"}, or `,
  ];
}

function doubtOf(text: string, leaf: Leaf): Doubt {
  if (hasPlaceholder(text)) return ["has a placeholder, which nothing fills in", "the value itself, or "];
  const unseen = /[\p{Default_Ignorable_Code_Point}\p{Zs}]/u.exec(text.replaceAll(" ", ""))?.[0];
  if (unseen !== undefined) {
    const code = (unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return [`has a character that nobody sees (U+${code})`, "a text without it, or "];
  }
  if (/^[‘’“”«»„‚].*[‘’“”«»]$/su.test(text))
    return ["has typographic quotes, which belong to it", "a text without them, or "];
  const isName = leaf.kind === "text" && (textFields[leaf.field] === "name" || leaf.field === "path");
  const parts = text.split(/\s*\|\s*|\s*,\s*/);
  if (isName && parts.length > 1 && parts.every((part) => /^[\w./*:-]+$/.test(part))) {
    const list = JSON.stringify(parts).replaceAll(",", ", ");
    return ["is one text, and may be meant as several", `${list}, or `];
  }
  if (isName && /^\^.|[^$]\$$/.test(text) && !text.includes("*"))
    return ["is no expression", `{ regex: ${JSON.stringify(text)} }, or `];
  if ((isName || leaf.kind === "header") && /^(?:not\s+|!)\S/i.test(text))
    return ["negates nothing", "the value itself below not, or "];
  if (leaf.kind === "value" && /^(?:yes|no|on|off)$/i.test(text))
    return ["is a text", /^(?:yes|on)$/i.test(text) ? "true, or " : "false, or "];
  const meant = mayBeNumbers(leaf) ? meantAsNumbers(text) : null;
  if (meant === null) return null;
  const numbers = leaf.kind === "header" ? "numbers (> 5, { range: 3-7 }), or " : `${meant}, or `;
  return ["is a text, and may be meant as numbers", leaf.kind === "text" ? "" : numbers];
}

const fieldsOfIds: ReadonlySet<string> = new Set(["dlqId", "messageId", "method"]);

function mayBeNumbers(leaf: Leaf): boolean {
  if (leaf.kind !== "text") return leaf.kind === "value" || leaf.kind === "header";
  return /^(?:name|body)$/.test(textFields[leaf.field]) && !fieldsOfIds.has(leaf.field);
}
