/** The dead letters of the bench of the console: kinds of failure that differ by destination, status and answer. */
import type { SeedRecord } from "../../../dev/emulator/index.ts";

const answersPerHost = 5;
const hourMs = 3_600_000;
const answers = [
  "order {n} is locked by another request",
  "no such customer: c-{n}",
  '{"error":{"code":"E1001","message":"no stock for article {n}"}}',
  "<html><body><h1>Refused</h1><p>Request {n} was refused by a policy of this site.</p></body></html>",
  "schema of event {n} is not known here",
];

/** A week of them, spread over all kinds; a few hosts have most. */
export function toParked(index: number, kinds: number, all: number): SeedRecord {
  // Every kind once, then ever more of the first.
  const kind = index < kinds ? index : Math.floor(kinds * ((index * 0.618_034) % 1) ** 3);
  const ageMs = 6 * 24 * hourMs * (1 - index / all) + hourMs;
  return { ...toRecord(kind, index, ageMs), responseStatus: 400 + (kind % 20), label: "refused" };
}

/** At some of the same destinations, with a status of the outage: these wait. */
export function toWaiting(index: number, kinds: number): SeedRecord {
  return { ...toRecord(index % kinds, index, hourMs), responseStatus: 503, label: "later" };
}

let records = 0;

function toRecord(kind: number, index: number, ageMs: number): SeedRecord {
  const at = Math.floor(Date.now() - ageMs);
  const host = `api-${Math.floor(kind / answersPerHost)}.example.com`;
  return {
    dlqId: `${at}-${(records += 1)}`,
    createdAt: at - 5_000,
    url: `https://${host}/hooks/orders`,
    maxRetries: 3,
    responseBody: (answers[kind % answersPerHost] ?? "").replace("{n}", String(index)),
    body: `{"order":${index}}`,
  };
}
