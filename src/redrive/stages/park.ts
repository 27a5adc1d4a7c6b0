import type { DrainRuntime } from "../runtime.ts";
import type { DecidedRecord } from "./records.ts";

/** Writes into the ledger that these wait for a person, or for this drain's rules to change. What is parked already is left as it is. */
export async function parkRecords(drain: DrainRuntime, records: readonly DecidedRecord[]): Promise<void> {
  const { config, source } = drain;
  const requests = records.flatMap(({ letter, view, decision, attempt }) => {
    if (decision.then !== "park" || (view.state === "parked" && decision.rule === null)) return [];
    if (view.state === "parked" && view.reason === decision.reason && view.rulesHash === config.rulesHash)
      return [];
    return [{ dlqId: letter.dlqId, reason: decision.reason, attempt }];
  });
  if (requests.length === 0) return;
  await source.ledger.park(requests, { drain: config.name, rulesHash: config.rulesHash, token: null });
}
