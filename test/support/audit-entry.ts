import type { NewAuditEntry } from "../../src/job/contracts/audit.ts";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";

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
