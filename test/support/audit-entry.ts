import type { NewAuditEntry } from "../../src/ports/audit.ts";
import type { DrainName, SourceId } from "../../src/ports/ids.ts";

export const source = "eu" as SourceId;

export const entry = (dlqId: string): NewAuditEntry => ({
  act: "delete",
  by: "daemon pod/7",
  source,
  drain: "orders" as DrainName,
  records: [{ dlqId }],
});

export const idsOf = (entries: readonly NewAuditEntry[]): readonly string[] =>
  entries.flatMap(({ records }) => records.map(({ dlqId }) => dlqId));
