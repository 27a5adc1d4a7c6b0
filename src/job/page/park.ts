import { defined } from "../message/defined.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import type { DlqId } from "../message/dead-letter.ts";
import { hostOf } from "../message/destination-url.ts";
import type { AuditRecord } from "../contracts/audit.ts";
import type { Token } from "../contracts/ids.ts";
import type { ParkVerdict } from "../contracts/ledger.ts";
import { recordIntent, ofDrain } from "../write-audit.ts";
import type { DrainRuntime } from "../runtime.ts";
import { parentOf, type Letter } from "./letter.ts";

export interface Parking extends Pick<AuditRecord, "parent" | "host" | "notes"> {
  readonly dlqId: DlqId;
  readonly reason: ParkReason;
  readonly rule: string | null;
  readonly attempt: number;
  /** The id of its kind of failure, for the ledger alone; absent: not known. */
  readonly failure?: string;
}

/** Parks those decided so, until a person releases them or the rules change. Those parked stay as they are. */
export async function park(drain: DrainRuntime, letters: readonly Letter[]): Promise<void> {
  const { rulesHash } = drain.config;
  const parked = letters.filter(({ decision, fate }) => decision.then === "park" && fate === null);
  const parkings = parked.flatMap((letter): readonly Parking[] => {
    const { dlqId, view, decision, attempt, failure } = letter;
    if (decision.then !== "park") return [];
    const { reason, rule } = decision;
    const isSame = view.state === "parked" && view.reason === reason && view.rulesHash === rulesHash;
    if (isSame || (view.state === "parked" && rule === null)) return [];
    const host = hostOf(letter.content.url);
    return [{ dlqId, reason, rule, attempt, failure: failure.id, host, ...parentOf(letter) }];
  });
  await writeParked(drain, parkings, { seenAt: Math.min(...letters.map(({ viewedAt }) => viewedAt)) });
  for (const letter of parked) letter.fate = { kind: "decided" };
}

/** Writes the audit, then the ledger. `token`, `seenAt`: see Ledger.park. Throws `redis-unavailable`. */
export async function writeParked(
  drain: DrainRuntime,
  parkings: readonly Parking[],
  by: { readonly token?: Token; readonly seenAt?: number } = {},
): Promise<readonly ParkVerdict[]> {
  if (parkings.length === 0) return [];
  const { config, source, workerLostAt } = drain;
  const records = parkings.map((parking) => {
    const { failure: _, ...record } = parking;
    return record;
  });
  await recordIntent(source, "park", records, ofDrain(drain));
  const requests = parkings.map(({ dlqId, reason, attempt, failure }) =>
    defined({ dlqId, reason, attempt, failure }),
  );
  const { name, rulesHash } = config;
  const options = { drain: name, rulesHash, token: null, ...by, ...defined({ workerLostAt }) };
  const { verdicts } = await source.ledger.park(requests, options);
  return verdicts;
}
