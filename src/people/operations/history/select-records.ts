import { hostOf } from "../../../job/message/destination-url.ts";
import type { AuditAct, AuditEntry, AuditRecord } from "../../../job/contracts/audit.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-and-path-tests.ts";
import { toApplyKey } from "./act-rows.ts";
import { joined } from "../phrases.ts";

/** What the audit does not have of some records, so that a filter cannot tell whether they fit. */
type Missing = "host" | "rule";

export interface RecordFilter {
  readonly host?: string | undefined;
  readonly rule?: string | undefined;
}

/**
 * Leaves the records of some destinations or of one rule; newest first. An act without records is left only if it is a
 * lane of such a destination, or `withEnds` the end of an apply that ordered some of them: right before its orders.
 * `missing` reports what was left out because the audit lacks its host or rule.
 */
export function selectRecords(
  entries: AsyncIterable<AuditEntry>,
  { host, rule }: RecordFilter,
  withEnds = true,
) {
  const isHost = host === undefined ? null : compileHostGlob(host);
  const missing = { host: new Map<AuditAct, number>(), rule: new Map<AuditAct, number>() };

  const lacks = (what: Missing, act: AuditAct, { count = 1 }: AuditRecord): false => {
    // Its proof, an act before it, has both.
    if (act !== "delete") missing[what].set(act, (missing[what].get(act) ?? 0) + count);
    return false;
  };

  const fits = (record: AuditRecord, act: AuditAct): boolean => {
    if (rule !== undefined && record.rule !== undefined && record.rule !== rule) return false;
    if (isHost !== null && record.host !== undefined && !isHost(record.host)) return false;
    if (rule !== undefined && record.rule === undefined) return lacks("rule", act, record);
    return isHost === null || record.host !== undefined || lacks("host", act, record);
  };

  const isOfHost = ({ lane, host: paused }: AuditEntry): boolean => {
    const names = [
      ...(lane === undefined ? [] : [lane.origin, hostOf(lane.origin)]),
      ...(paused ? [paused] : []),
    ];
    return rule === undefined && isHost !== null && names.some(isHost);
  };

  async function* selected(): AsyncGenerator<AuditEntry> {
    const ends = new Map<string, AuditEntry>();
    for await (const entry of entries) {
      if (rule === undefined && isHost === null) {
        yield entry;
        continue;
      }
      for (const [key, { orderedAt = 0 }] of ends) if (entry.at < orderedAt) ends.delete(key);
      const { act, orderedAt } = entry;
      const isApply = act === "apply" && orderedAt !== undefined;
      if (entry.records.length === 0) {
        if (isOfHost(entry)) yield entry;
        else if (withEnds && isApply) ends.set(toApplyKey(entry), entry);
        continue;
      }
      const records = entry.records.filter((record) => fits(record, act));
      if (records.length === 0) continue;
      const end = isApply && ends.get(toApplyKey(entry));
      // It sums up what it did anywhere.
      if (end) yield { ...end, why: `in all: ${end.why}` };
      if (end) ends.delete(toApplyKey(entry));
      yield { ...entry, records };
    }
  }

  return {
    entries: selected(),
    missing: (): string => joined(toMissing("host", missing.host), toMissing("rule", missing.rule)),
  };
}

function toMissing(what: Missing, acts: ReadonlyMap<AuditAct, number>): string {
  if (acts.size === 0) return "";
  const counts = [...acts].map(([act, count]) => `${count} ${act}`).join(", ");
  return `left out, because the ${what} of these was not known when they were written down: ${counts}\n`;
}
