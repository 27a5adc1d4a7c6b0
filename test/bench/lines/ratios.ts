import type { Measured } from "../stand/measure.ts";

type Drained = Pick<Measured, "case" | "wallMs" | "cpuMs" | "service" | "redis">;

export const messagesPerSecond = ({ case: { messages }, wallMs }: Drained): number =>
  (messages * 1_000) / wallMs;

/** In µs. */
export const cpuPerMessage = ({ case: { messages }, cpuMs }: Drained): number => (cpuMs * 1_000) / messages;

export const callsPer100 = ({ case: { messages }, service: { calls } }: Drained): number =>
  ((calls.list + calls.batch + calls.delete) * 100) / messages;

export const listedPerRecord = ({ case: { messages }, service: { listed } }: Drained): number =>
  listed / messages;

/** In µs. NaN without a Redis. */
export const redisCpuPerMessage = ({ case: { messages }, redis }: Drained): number =>
  ((redis?.cpuMs ?? Number.NaN) * 1_000) / messages;

export const redisBytesPerMessage = ({ case: { messages }, redis }: Drained): number =>
  (redis?.bytesRead ?? Number.NaN) / messages;

export const tripsPer100 = ({ case: { messages }, redis }: Drained): number =>
  ((redis?.answersWritten ?? Number.NaN) * 100) / messages;

/** The share of the service's limit of DLQ calls that was used. */
export function limitUsed({
  case: { callsPerSecond },
  service: { calls, refused },
  wallMs,
}: Drained): number {
  return (calls.list + calls.delete - refused) / ((callsPerSecond! * wallMs) / 1_000);
}

/** Of the calls that the limit counts, the share that was answered 429. */
export const shareRefused = ({ service: { calls, refused } }: Drained): number =>
  refused / (calls.list + calls.delete);

/** Each record was delivered, none twice, and nothing else. */
export function isDeliveredOnce({ case: { messages }, service }: Drained): boolean {
  return service.delivered === messages && service.doubled === 0 && service.broken === 0;
}
