/**
 * A plan as text, one JSON object per line: a head, the records, and a last line. That line has their number
 * and a digest of all before it, so that a cut or edited file is detected. The digest proves nothing against
 * somebody who writes a new file.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { isObject, parseJson } from "../../job/message/json-value.ts";
import { toSafeJson } from "../../job/message/write-safe-json.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import { planFilter, type PlanFilter } from "../../job/contracts/plans.ts";
import { planRecord, type PlanRecord } from "./plan-file-record.ts";

export const planVersion = 1;

const text = z.string();

const plannedDrain = z.object({
  drain: text as unknown as z.ZodType<DrainName>,
  source: text as unknown as z.ZodType<SourceId>,
  /** Keyed hash of the source's address. */
  address: text,
  /** Of that address, for reading; plans of earlier versions have none. */
  host: text.exactOptional(),
  rulesHash: text,
  /** The listed range: Unix ms, inclusive. */
  from: z.int(),
  to: z.int(),
});
export type PlannedDrain = Readonly<z.infer<typeof plannedDrain>>;

const planHead = z.object({
  redriverPlan: z.literal(planVersion),
  createdAt: z.number(),
  version: text,
  documentHash: text,
  flags: planFilter.extend({ showContent: z.boolean().catch(false) }),
  drains: z.array(plannedDrain),
});
type ReadHead = z.infer<typeof planHead>;
export interface PlanHead extends Readonly<Omit<ReadHead, "flags" | "drains">> {
  readonly flags: PlanFilter & { readonly showContent: boolean };
  readonly drains: readonly PlannedDrain[];
}

/** Turns a plan into lines, each with its line end, and computes the digest of the lines so far. */
export function createPlanWriter() {
  const digest = createHash("sha256");
  let records = 0;
  const line = (value: object): string => {
    const text = `${toSafeJson(value)}\n`;
    digest.update(text);
    return text;
  };
  return {
    head: (head: PlanHead): string => line(head),
    record(record: PlanRecord): string {
      records += 1;
      return line(record);
    },
    end: () => `${JSON.stringify({ end: true, records, sha256: digest.digest("hex") })}\n`,
  };
}

/** A file that was read to its end and is as it was written. */
export interface PlanFile {
  readonly head: PlanHead;
  /** As its last line has it. */
  readonly sha256: string;
  /** Its bytes, once more. */
  readonly read: () => AsyncIterable<Buffer | string>;
}

export type PlanReading =
  | ({ readonly ok: true } & Omit<PlanFile, "read">)
  /** Names the line and the expectation, and quotes nothing of the record. */
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a plan of any size. `onRecord` gets each record as it comes. The caller must not act on one before
 * the answer is known. Rethrows what reading throws.
 */
export async function readPlan(
  chunks: AsyncIterable<Buffer | string>,
  onRecord: (record: PlanRecord) => unknown,
): Promise<PlanReading> {
  const digest = createHash("sha256");
  let head: PlanHead | null = null;
  let drains: ReadonlySet<DrainName> = new Set();
  let records = 0;
  let number = 0;
  let last: PlanReading | null = null;
  const broken = (what: string): PlanReading => ({ ok: false, problem: `line ${number}: ${what}` });

  for await (const text of linesOf(chunks)) {
    number += 1;
    if (last !== null) return broken("nothing may follow the line that ends a plan");
    const value = parseJson(text.toString("utf8"));
    if (!isObject(value)) return broken("expected a JSON object");
    if (head === null) {
      const read = toHead(value);
      if (typeof read === "string") return broken(read);
      head = read;
      drains = new Set(head.drains.map(({ drain }) => drain));
    } else if (value["end"] === true) {
      const sha256 = digest.digest("hex");
      if (value["records"] !== records || value["sha256"] !== sha256) {
        return broken("the plan is not as it was written: its digest differs");
      }
      last = { ok: true, head, sha256 };
      continue;
    } else {
      const read = planRecord.safeParse(value);
      if (!read.success || !drains.has(read.data.drain)) {
        return broken("expected a record of one of the plan's drains");
      }
      records += 1;
      await onRecord(read.data);
    }
    digest.update(text).update("\n");
  }
  if (head === null) return { ok: false, problem: "expected a plan, got nothing" };
  return last ?? { ok: false, problem: `cut off after line ${number}: the line that ends a plan is missing` };
}

/** A line is longer than this only if it shows bodies of many megabytes. */
const maxLineBytes = 256 * 1024 * 1024;

/** Split at line feeds alone: JSON may contain other line ends of Unicode. The last line may lack its own. */
async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const given of chunks) {
    let chunk = typeof given === "string" ? Buffer.from(given) : given;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
      yield Buffer.concat([...parts, chunk.subarray(0, end)]);
      parts = [];
      bytes = 0;
      chunk = chunk.subarray(end + 1);
    }
    if (chunk.length === 0) continue;
    bytes += chunk.length;
    if (bytes > maxLineBytes) break;
    parts.push(chunk);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

/** The head without keys that this version does not know. For any other value a text with the expectation. */
function toHead(value: Readonly<Record<string, unknown>>): PlanHead | string {
  const { redriverPlan } = value;
  if (redriverPlan === undefined) return "expected a plan, which begins with redriverPlan";
  if (redriverPlan !== planVersion) {
    return `expected version ${planVersion} of plans, got ${typeof redriverPlan === "number" ? redriverPlan : typeof redriverPlan}`;
  }
  const read = planHead.safeParse(value);
  return read.success ? read.data : "expected the head of a plan with its drains";
}
