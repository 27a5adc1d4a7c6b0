import type { DlqId } from "../message/dead-letter.ts";
import { RedriverError } from "../contracts/errors.ts";
import { selectNames } from "../message/select.ts";
import type { ListQuery } from "../contracts/service.ts";

/** At most this many records, items or ids per call (service-interface.md 8). */
export const maxPerCall = 100;

/** Fails with `invariant-broken` if a filter would mean "any", or the service does not take a number. */
export function toListPath(prefix: string, query: ListQuery): string {
  // With ids, the service that takes them ignores everything else.
  if (query.dlqIds !== undefined) return toIdsPath(prefix, query.dlqIds, "list");
  const parameters: string[] = [];
  for (const name of selectNames) {
    const filter = query.select[name];
    if (filter === undefined) continue;
    const values: readonly (string | number)[] = typeof filter === "string" ? [filter] : filter;
    if (values.length === 0) throw broken(`filter ${name} without a value, which the service takes for any`);
    for (const value of values) parameters.push(toParameter(name, String(value)));
  }
  if (query.count < 1 || query.count > maxPerCall) {
    throw broken(`expected a count of 1 to ${maxPerCall}, got ${query.count}`);
  }
  for (const name of ["fromDate", "toDate", "count"] as const) {
    const value = query[name];
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value)) throw broken(`expected ${name} to be a whole number, got ${value}`);
    parameters.push(toParameter(name, String(value)));
  }
  if (query.cursor !== undefined && query.cursor !== "") parameters.push(toParameter("cursor", query.cursor));
  return `${prefix}/v2/dlq?${parameters.join("&")}`;
}

/**
 * The path of a delete, and the only place that builds one. `DELETE /v2/dlq` without ids, or with empty ones,
 * means "any message". One value with commas means several ids, possibly empty ones (service-interface.md 4.2
 * rule 3). Both fail with `invariant-broken`. There is no way to pass a filter.
 */
export function toDeletePath(prefix: string, dlqIds: readonly DlqId[]): string {
  return toIdsPath(prefix, dlqIds, "delete");
}

export function toRetryPath(prefix: string, dlqId: DlqId): string {
  return `${prefix}/v2/dlq/retry/${toIdValue(dlqId)}`;
}

function toIdsPath(prefix: string, dlqIds: readonly DlqId[], what: "delete" | "list"): string {
  if (dlqIds.length < 1 || dlqIds.length > maxPerCall) {
    throw broken(`expected 1 to ${maxPerCall} dlqIds to ${what}, got ${dlqIds.length}`);
  }
  const separator = "&dlqIds=";
  return `${prefix}/v2/dlq?${separator.slice(1)}${dlqIds.map(toIdValue).join(separator)}`;
}

function toIdValue(dlqId: DlqId): string {
  // The form of all known ids, which needs no escape.
  if (typeof dlqId === "string" && /^[\w-]+$/.test(dlqId)) return dlqId;
  if (typeof dlqId !== "string" || !/^[^\s,\p{Cc}]+$/u.test(dlqId)) {
    throw broken("expected dlqIds without spaces, commas and control characters, none of them empty");
  }
  return toValue("dlqIds", dlqId);
}

// Values are repeated parameters, never joined by commas: a URL may contain one.
function toParameter(name: string, value: string): string {
  return `${name}=${toValue(name, value)}`;
}

function toValue(name: string, value: string): string {
  if (value === "") throw broken(`parameter ${name} with an empty value, which the service takes for any`);
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new RedriverError("invariant-broken", `parameter ${name} holds half a character`, { cause });
  }
}

function broken(message: string): RedriverError {
  return new RedriverError("invariant-broken", message);
}
