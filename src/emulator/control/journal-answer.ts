import { json, type Answer } from "../http/exchange.ts";
import type { Journal } from "../journal.ts";
import { Refusal } from "../refusal.ts";

const defaultLimit = 1_000;

/**
 * Entries oldest first: `type` (repeated or comma separated), `after` (a `seq`), `limit`. `next` is the `after` of
 * the next page, absent at the end.
 */
export function journalAnswer(journal: Journal, query: URLSearchParams): Answer {
  const types = new Set(query.getAll("type").flatMap((value) => value.split(",")));
  const after = natural(query, "after") ?? 0;
  const limit = natural(query, "limit") ?? defaultLimit;
  const wanted = journal
    .entries()
    .filter((entry) => entry.seq > after && (types.size === 0 || types.has(entry.type)));
  const entries = wanted.slice(0, limit);
  const next = wanted.length > entries.length ? (entries.at(-1)?.seq ?? after) : undefined;
  return json(200, { entries, next });
}

function natural(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(400, `${name} must be a natural number: ${text}`);
  return Number(text);
}
