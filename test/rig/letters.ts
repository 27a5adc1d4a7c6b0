import { createHash } from "node:crypto";
import type { SeedRecord } from "../../src/emulator/index.ts";
import { hourMs } from "../lanes/time-scale.ts";

/** Dead letters of one destination. */
export interface LetterBatch {
  /** Their ids are `<name>-0`, `<name>-1`, …. */
  readonly name: string;
  readonly count: number;
  readonly url: string;
  readonly status?: number;
  readonly maxRetries?: number;
  /** How long ago the first and the last of them entered, ms by the service's clock. */
  readonly agoMs?: readonly [first: number, last: number];
}

/** 50,000 in five hours. */
const apartMs = 360;

export const bodyOf = (id: string): string => JSON.stringify({ id });

/** Of a body of any length: its id stands first. */
export function idOf(body: string | Buffer): string {
  const start = typeof body === "string" ? body.slice(0, 80) : body.subarray(0, 80).toString("latin1");
  return /^\{"id":"([^"]*)"/.exec(start)?.[1] ?? "";
}

export const sha256Of = (id: string): string => createHash("sha256").update(bodyOf(id)).digest("hex");

export const idsOf = ({ name, count }: Pick<LetterBatch, "name" | "count">): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** Evenly over their time; `dlqId` ends with what no other batch has. */
export function toRecords(batch: LetterBatch, now: number): readonly SeedRecord[] {
  const { count, url, status = 503, maxRetries = 3, agoMs = [hourMs + count * apartMs, hourMs] } = batch;
  const [first, last] = agoMs;
  const own = 1 + (Number.parseInt(sha256Of(`${batch.name} ${url}`).slice(0, 6), 16) % 9_000_000);
  return idsOf(batch).map((id, index) => {
    const at = Math.floor(now - first + ((first - last) * index) / count);
    return {
      dlqId: `${at}-${own + index}`,
      url: `${url}/hook`,
      createdAt: at - 5_000,
      responseStatus: status,
      maxRetries,
      body: bodyOf(id),
    };
  });
}
