import type { RawRecord } from "../../../job/message/dead-letter.ts";
import { readLineage, type LineageKey } from "../../../job/message/lineage.ts";
import { toPrintable, toShownUrl } from "../../../job/message/show-masked-values.ts";
import { parseRecord } from "../../../job/message/parse-record.ts";
import { createSelectMatcher, type Filters } from "../../../job/message/select.ts";
import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import { cameBackText } from "../phrases.ts";

/**
 * Why a drain does not list a record of its source's queue: `its topicName is nothing, select asks for
 * orders`. Empty if its select would list it. Addresses are shown without what may be secret in them.
 */
export function whyUnselected(
  { select: { not, ...select } }: Pick<DrainConfig, "select">,
  raw: RawRecord,
): readonly string[] {
  const its = (key: keyof Filters): string => `its ${key} is ${shown(key, valueOf(key, raw))}`;
  const missed = keysOf(select)
    .filter((key) => !createSelectMatcher({ [key]: select[key] })(raw))
    .map((key) => `${its(key)}, select asks for ${asked(key, select)}`);
  if (not === undefined || !createSelectMatcher(not)(raw)) return missed;
  return [...missed, ...keysOf(not).map((key) => `${its(key)}, select.not leaves it`)];
}

function keysOf(filters: Filters): readonly (keyof Filters)[] {
  return Object.keys(filters) as (keyof Filters)[];
}

/** The parent of a come-back that is not listed because its redrive preserved less than `select` asks for. */
export function cameBackFrom(raw: RawRecord, keys: readonly LineageKey[]): string | null {
  const parsed = parseRecord(raw);
  const reading = parsed.kind === "letter" ? readLineage(parsed.letter, keys) : null;
  return reading?.kind === "come-back" ? toPrintable(cameBackText(reading.lineage)) : null;
}

function valueOf(key: keyof Filters, raw: RawRecord): unknown {
  if (key === "label") return raw["labels"] ?? raw["label"];
  return raw[key === "callerIp" ? "callerIP" : key];
}

const maxShown = 5;

function asked(key: keyof Filters, select: Filters): string {
  const given = select[key];
  const values = typeof given === "object" ? given : [given];
  const some = values.slice(0, maxShown).map((value) => shown(key, value));
  return `${some.join(" or ")}${values.length > maxShown ? `, … (${values.length} in all)` : ""}`;
}

function shown(key: keyof Filters, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => shown(key, one)).join(", ") || "nothing";
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || value === "") return "nothing";
  return key === "url" ? toShownUrl(value, "masked") : toPrintable(value);
}
