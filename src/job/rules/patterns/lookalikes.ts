import type { Parsed } from "../parsed.ts";

/**
 * What looks like a comparison and is none: another spelling of an operator (`≥ 5`, `=> 5`, `!= 5`), or of a number
 * (`> 1,000`, `> .5`). As a text it would load and match nothing that was meant.
 */
export interface Comparison {
  readonly operator: Operator;
  readonly number: string | null;
  readonly operand: string;
}

type Refusal = Extract<Parsed<never>, { ok: false }>;
type Operator = "<" | "<=" | ">" | ">=" | "=" | "!=";

const spellings: Readonly<Record<Operator, string>> = {
  "<": "< ‹",
  "<=": "<= =< ≤ ⩽ ≦",
  ">": "> ›",
  ">=": ">= => ≥ ⩾ ≧",
  "=": "= == === ~ ~= =~ ≈",
  "!=": "! != !== <> >< =/= !~ ≠ not",
};
const bySign: ReadonlyMap<string, Operator> = new Map(
  (Object.entries(spellings) as [Operator, string][]).flatMap(([operator, signs]) =>
    signs.split(" ").map((sign) => [sign, operator] as const),
  ),
);

const form = new RegExp(`^(not(?=\\s)|=/=|[<>=!~≤⩽≦‹≥⩾≧›≈≠]{1,3})(\\s*)(\\S.*)$`, "isu");
const number = String.raw`[+-]?(?:0x[\da-f]+|(?:\d|\.\d)[\d.,_' ]*(?:e[+-]?\d+)?)`;
const numberLike = new RegExp(
  `^${number}\\s*(?:%|[a-z]{1,3})?(?:\\s*(?:,|;|&&|and|or)?\\s*[<>=!]+.*)?$`,
  "iu",
);

/** Null for a text that is no comparison in any spelling, such as `<html>`, `<1@mail>`, `not found`. */
export function readComparison(text: string): Comparison | null {
  const [, sign = "", space = "", operand = ""] = form.exec(plainSigns(text)) ?? [];
  const operator = bySign.get(sign.toLowerCase());
  if (operator === undefined) return null;
  // A single sign is the beginning of many a text, and so is the word.
  const isText = sign === "!" || /^not$/i.test(sign) || (/^[<>=~]$/.test(sign) && space === "");
  return isText && !numberLike.test(operand) ? null : { operator, operand, number: toNumber(operand) };
}

/** `masked`: the text is not repeated, because it may be a secret. */
export function refuseComparison(text: string, show: "shown" | "masked"): Refusal | null {
  const comparison = readComparison(text);
  if (comparison === null) return null;
  const written = show === "masked" ? 'a comparison such as "> 5"' : rewritten(comparison);
  return {
    ok: false,
    expected: `${written ?? 'a comparison with a number, such as "> 5"'}, or { equals: … } if this very text is meant`,
  };
}

export function rewritten({ operator, number, operand }: Comparison): string | null {
  const value = number ?? operand;
  if (operator === "=") return value;
  if (operator === "!=") return `${value} below not`;
  return number === null ? null : JSON.stringify(`${operator} ${number}`);
}

/** Full-width and typographic signs as the keyboard has them, without what nobody sees. */
export function plainSigns(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[‐-―−]/gu, "-")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function toNumber(text: string): string | null {
  const bare = text.replace(/^\+/, "").replaceAll(/(?<=\d)[_' ](?=\d)/g, "");
  if (/^0x[\da-f]{1,16}$/i.test(bare)) return BigInt(bare).toString();
  const ungrouped = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare) ? bare.replaceAll(",", "") : bare;
  const whole = ungrouped.replace(/^(-?)\./, "$10.").replace(/\.$/, "");
  return /^-?\d{1,64}(?:\.\d{1,64})?(?:e[+-]?\d{1,3})?$/i.test(whole) ? whole : null;
}
