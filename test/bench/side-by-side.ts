import { toGrid } from "../rig/figures.ts";
import type { Measured } from "./stand/measure.ts";

const heads = [
  "contender",
  "latency",
  "messages/s",
  "µs CPU",
  "of loop",
  "of floor",
  "calls/100",
  "listed",
  "in flight",
  "peak MB",
  "redis µs",
  "trips/100",
  "service busy",
  "once",
];

/** All that was measured, a row each, with each one's CPU against the loop's and the floor's. */
export function toSideBySide(all: readonly Measured[]): string {
  return toGrid([heads, ...all.map((one) => toRow(one, all))]);
}

export const messagesPerSecond = ({ case: { messages }, wallMs }: Measured): number =>
  (messages * 1_000) / wallMs;

export const cpuPerMessage = ({ case: { messages }, cpuMs }: Measured): number => (cpuMs * 1_000) / messages;

export const callsPer100 = ({ case: { messages }, service: { calls } }: Measured): number =>
  ((calls.list + calls.batch + calls.delete) * 100) / messages;

/** Each record was delivered, none twice, and nothing else. */
export function isDeliveredOnce({ case: { messages }, service }: Measured): boolean {
  return service.delivered === messages && service.doubled === 0 && service.broken === 0;
}

function toRow(one: Measured, all: readonly Measured[]): readonly string[] {
  const { case: of, service, redis, peakBytes, serviceCpuMs, wallMs } = one;
  const other = (contender: "loop" | "floor"): Measured | undefined =>
    all.find(
      ({ case: { contender: name, messages, latencyMs } }) =>
        name === contender && messages === of.messages && latencyMs === of.latencyMs,
    );
  const ofOther = (contender: "loop" | "floor"): string => {
    const it = other(contender);
    return it === undefined ? "" : `${(cpuPerMessage(one) / cpuPerMessage(it)).toFixed(2)} x`;
  };
  return [
    of.contender === "floor" ? `floor, ${of.parallel} in parallel` : of.contender,
    `${of.latencyMs} ms`,
    messagesPerSecond(one).toFixed(0),
    cpuPerMessage(one).toFixed(0),
    ofOther("loop"),
    ofOther("floor"),
    callsPer100(one).toFixed(2),
    String(service.listed),
    String(service.maxInFlight),
    (peakBytes / 1_000_000).toFixed(0),
    redis === null ? "" : ((redis.cpuMs * 1_000) / of.messages).toFixed(1),
    redis === null ? "" : ((redis.answersWritten * 100) / of.messages).toFixed(1),
    `${((100 * serviceCpuMs) / wallMs).toFixed(0)} %`,
    isDeliveredOnce(one)
      ? "yes"
      : `NO: ${service.delivered} delivered, ${service.doubled} doubled, ${service.broken} broken`,
  ];
}
