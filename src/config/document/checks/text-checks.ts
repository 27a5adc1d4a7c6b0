import { hasPlaceholder, slipInHost } from "../../../job/message/host-and-path.ts";
import { meantAsNumbers } from "../../../job/rules/patterns/lookalikes.ts";
import { textFields, type Leaf } from "../../../job/rules/rule-spec.ts";
import { quoted, type ValuePath } from "../../problem.ts";
import type { Report, Warn } from "./report-problem.ts";

const asItIs = "{ equals: … } if this very text is meant";

/**
 * Judges a plain text of a test, one without a form such as `equals`: it loads, and may not be meant as it is. A host
 * that no receiver has is a problem.
 */
export function judgeText(
  text: string,
  leaf: Leaf,
  place: ValuePath,
  { report, warn }: { readonly report: Report; readonly warn: Warn },
): void {
  const got = isSecretive(leaf) ? "" : `, got ${quoted(text)}`;
  if (leaf.kind === "text" && leaf.field === "host") {
    const slip = slipInHost(text);
    const proposed = /^\.+[^.]/.test(text) ? `*.${text.replace(/^\.+/, "")}` : "api.example.com";
    const isGood = slipInHost(proposed) === null;
    const expected = `a host such as ${isGood ? proposed : "api.example.com"}, or ${asItIs}`;
    if (slip !== null) report(place, "key", `no receiver has this host: ${slip}; expected ${expected}${got}`);
    return;
  }
  const [why, expected] = doubtOf(text, leaf) ?? [];
  if (why !== undefined) warn(place, `${why}; expected ${expected}${asItIs}${got}`);
}

/** Header values, and addresses with their queries, are never repeated. */
function isSecretive(leaf: Leaf): boolean {
  return leaf.kind === "header" || (leaf.kind === "text" && textFields[leaf.field] === "address");
}

function doubtOf(text: string, leaf: Leaf): readonly [why: string, expected: string] | null {
  if (hasPlaceholder(text)) return ["has a placeholder, which nothing fills in", "the value itself, or "];
  const unseen = /[\p{Default_Ignorable_Code_Point}\p{Zs}]/u.exec(text.replaceAll(" ", ""))?.[0];
  if (unseen !== undefined) {
    const code = (unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return [`has a character that nobody sees (U+${code})`, "a text without it, or "];
  }
  if (/^[‘’“”«»„‚].*[‘’“”«»]$/su.test(text))
    return ["has typographic quotes, which belong to it", "a text without them, or "];
  const list = isName(leaf) ? meantAsList(text) : null;
  if (list !== null) return ["is one text, and may be meant as several", `${list}, or `];
  if (isName(leaf) && /^\^.|[^$]\$$/.test(text) && !text.includes("*"))
    return ["is no expression", `{ regex: ${JSON.stringify(text)} }, or `];
  if ((isName(leaf) || leaf.kind === "header") && /^(?:not\s+|!)\S/i.test(text))
    return ["negates nothing", "the value itself below not, or "];
  if (leaf.kind === "value" && /^(?:yes|no|on|off)$/i.test(text))
    return ["is a text", /^(?:yes|on)$/i.test(text) ? "true, or " : "false, or "];
  const meant = mayBeNumbers(leaf) ? meantAsNumbers(text) : null;
  if (meant === null) return null;
  const numbers = leaf.kind === "header" ? "numbers (> 5, { range: 3-7 }), or " : `${meant}, or `;
  return ["is a text, and may be meant as numbers", leaf.kind === "text" ? "" : numbers];
}

function isName(leaf: Leaf): boolean {
  return leaf.kind === "text" && (textFields[leaf.field] === "name" || leaf.field === "path");
}

function meantAsList(text: string): string | null {
  const parts = text.split(/\s*\|\s*|\s*,\s*/);
  return parts.length > 1 && parts.every((part) => /^[\w./*:-]+$/.test(part))
    ? JSON.stringify(parts).replaceAll(",", ", ")
    : null;
}

const fieldsOfIds: ReadonlySet<string> = new Set(["dlqId", "messageId", "method"]);

function mayBeNumbers(leaf: Leaf): boolean {
  if (leaf.kind !== "text") return leaf.kind === "value" || leaf.kind === "header";
  return /^(?:name|body)$/.test(textFields[leaf.field]) && !fieldsOfIds.has(leaf.field);
}
