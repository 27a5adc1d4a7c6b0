import { createHash } from "node:crypto";
import type { SeedRecord } from "../../dev/emulator/index.ts";

/**
 * What has to become of a dead letter. `stay`: it is parked or held, and never published, dropped or deleted
 * by redriver.
 */
export type Fate = "republish" | "drop" | "stay" | "expire";

/** A dead letter as the judge knows it. */
export interface Letter {
  readonly dlqId: string;
  /** Of the message that failed first; its come-backs have it too. */
  readonly root: string;
  readonly fate: Fate;
  /** Of the body that a republication has to have. */
  readonly bodySha256: string;
  /** Its drain tries its destination by a lane. */
  readonly isTried?: boolean;
}

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

export const hourMs = 3_600_000;
/** 50,000 in five hours. */
const apartMs = 360;

export const bodyOf = (id: string): string => JSON.stringify({ id });

/** Of a body of any length: its id stands first. */
export function idOf(body: string | Buffer): string {
  const start = typeof body === "string" ? body.slice(0, 80) : body.subarray(0, 80).toString("latin1");
  return /^\{"id":"([^"]*)"/.exec(start)?.[1] ?? "";
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Of the body of this id. */
export const sha256Of = (id: string): string => sha256(bodyOf(id));

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
