/** Reasons under which redriver says, before a POST, that it may be a double. */
const declaring: ReadonlySet<string> = new Set([
  "unknown-outcome-past-window",
  "released-past-window",
  "hit-after-refusals",
]);

export interface Declarations {
  /** An entry of the audit, as it stood in a log line or in Redis. Each entry is in both; neither alone survives everything. */
  note(where: "log" | "redis", entry: AuditEntryText): void;
  of(dlqId: string): ReadonlyMap<string, number>;
}

export interface AuditEntryText {
  readonly act: string;
  readonly records: readonly { readonly dlqId: string; readonly notes?: readonly string[] }[];
}

export function createDeclarations(): Declarations {
  const counts = {
    log: new Map<string, Map<string, number>>(),
    redis: new Map<string, Map<string, number>>(),
  };
  return {
    note(where, { act, records }) {
      if (act !== "republish") return;
      for (const { dlqId, notes = [] } of records) {
        for (const note of notes.filter((text) => declaring.has(text))) {
          const of = counts[where].get(dlqId) ?? new Map<string, number>();
          of.set(note, (of.get(note) ?? 0) + 1);
          counts[where].set(dlqId, of);
        }
      }
    },
    of(dlqId) {
      const inLog = counts.log.get(dlqId) ?? new Map<string, number>();
      const inRedis = counts.redis.get(dlqId) ?? new Map<string, number>();
      return new Map(
        [...new Set([...inLog.keys(), ...inRedis.keys()])].map((why) => [
          why,
          Math.max(inLog.get(why) ?? 0, inRedis.get(why) ?? 0),
        ]),
      );
    },
  };
}
