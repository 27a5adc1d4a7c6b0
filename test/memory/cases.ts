import type { Letter, Text } from "./letters.ts";

export const documents = ["production", "unlimited"] as const;
export type DocumentName = (typeof documents)[number];

export interface Case {
  readonly name: string;
  readonly document: DocumentName;
  readonly text: Text;
  readonly letters: readonly Letter[];
}

/** Body sizes in bytes, and of how many a case is made: enough for some pages of each window. */
export const sizes = {
  "2KB": [2_000, 1_000],
  "20KB": [20_000, 800],
  "100KB": [100_000, 500],
  "200KB": [200_000, 400],
  "700KB": [700_000, 120],
  "1MB": [1_000_000, 100],
  "2MB": [2_000_000, 60],
  "10MB": [10_000_000, 14],
  // As much as service.maxAnswerBytes lets be read.
  "23MB": [23_000_000, 5],
} as const satisfies Record<string, readonly [bytes: number, count: number]>;

export const sizeNames = [...Object.keys(sizes), "mixed"] as readonly SizeName[];
export type SizeName = keyof typeof sizes | "mixed";

export function toLetters(size: SizeName): readonly Letter[] {
  if (size !== "mixed") {
    const [bodyBytes, count] = sizes[size];
    return Array.from({ length: count }, (_, index) => ({ id: `${size}-${index}`, bodyBytes }));
  }
  // Mostly small ones, and every size among them.
  const rare = [20_000, 100_000, 20_000, 200_000, 20_000, 700_000, 1_000_000, 20_000, 2_000_000, 10_000_000];
  return Array.from({ length: 600 }, (_, index) => ({
    id: `mixed-${index}`,
    bodyBytes: index % 5 === 4 ? (rare[Math.floor(index / 5) % rare.length] ?? 2_000) : 2_000,
  }));
}

/** `production`: the shipped lanes, whose waits are shorter, and fixed limits, so that most of it waits. */
export function toDocument(name: DocumentName): string {
  const lane = name === "production" ? "{ canary: 5, watch: 2s, haltAt: 20%, probeEvery: 10s }" : "none";
  const limits =
    name === "production"
      ? "{ publish: 20/s, perHost: 20/s, perPass: 20000, perDay: 100000 }"
      : "{ publish: none, perHost: none, perPass: none, perDay: none }";
  return `
version: 1
sources: { default: { retention: 3d, census: 1m } }
drains:
  main:
    mode: live
    schedule: { every: 5s, full: 1m }
    minAge: 2m
    lane: ${lane}
    limits: ${limits}
    beforeExpiry: { then: nothing }
    rules:
      - { name: receiver-said-never, when: { responseStatus: 489 }, then: park }
      - { name: outage, when: { responseStatus: [429, 502-504, none] }, then: republish }
`;
}
