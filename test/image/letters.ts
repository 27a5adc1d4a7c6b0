/** What is in the DLQ before the drain, and what redriver is told to do with it. */
import type { SeedRecord } from "../../dev/emulator/index.ts";
import { toBody, type Letter } from "../memory/letters.ts";

export const small = idsOf("small", 300, 2_000);
/** Some pages of these are more than the daemon's memory has room for at once. */
export const large = idsOf("large", 30, 1_000_000);
export const wanted = [...small, ...large];

function idsOf(name: string, count: number, bodyBytes: number): readonly Letter[] {
  return Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, bodyBytes }));
}

const hourMs = 3_600_000;
/** Large ones lie among the small ones. */
const apartMs = 1_000;

export function toRecords(now: number, url: string): readonly SeedRecord[] {
  const all = [
    ...small.map((letter, index) => ({ letter, at: index * apartMs })),
    ...large.map((letter, index) => ({ letter, at: index * 10 * apartMs + 500 })),
  ];
  return all.map(({ letter: { id, bodyBytes }, at }, index) => {
    const enteredAt = now - 6 * hourMs + at;
    return {
      dlqId: `${enteredAt}-${index + 1}`,
      url: `${url}/orders`,
      createdAt: enteredAt - 5_000,
      responseStatus: 503,
      maxRetries: 1,
      body: toBody(id, bodyBytes, "latin1"),
    };
  });
}

/** Shipped lanes with shorter waits, and a rate at which the drain lasts long enough to be stopped in its middle. */
export const document = `
version: 1
sources: { main: { retention: 3d, census: 1m } }
drains:
  everything:
    source: main
    mode: live
    schedule: { every: 5s, full: 1m }
    minAge: 1s
    lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 10s }
    limits: { publish: 40/s, perHost: 40/s, perPass: none, perDay: none }
    beforeExpiry: { then: nothing }
    rules:
      - { name: outage, when: { responseStatus: [429, 500-599, none] }, then: republish }
`;
