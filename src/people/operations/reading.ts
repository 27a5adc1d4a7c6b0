/**
 * A reading is what a person may look at, declared once. From the declaration follow its path of the API and an
 * agent's tool (console/api/operation-route.ts), and the arguments and flags of its command (cli/operation-command.ts).
 */
import { z } from "zod";
import { misused } from "../../job/contracts/errors.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import type { FailureView } from "../read/failure-views.ts";
import type { OperationCall } from "./define.ts";
import type { Status } from "./status/read.ts";

/** What pages and programs read again and again; it may be a moment old. */
export interface Recent {
  readonly status: () => Promise<Status>;
  /** Every kind of failure, by trouble. */
  readonly failures: () => Promise<readonly FailureView[]>;
  readonly facts: () => Promise<QueueFacts>;
}

/** `after`: `next` of the page before. */
export interface AskedPage {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** `signal` ends it. */
export type ReadingCall<Input> = Pick<
  OperationCall<Input>,
  "core" | "input" | "plans" | "isWhole" | "now" | "signal"
>;

export type Fields = z.ZodRawShape;
export type Given<Shape extends Fields> = z.output<z.ZodObject<Shape>>;

export interface Reading<Shape extends Fields = Fields> {
  /** Below /api/v1. A part such as `:id` is a field. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** As it is typed, and what help says of it; absent: its command is written out, or there is none. */
  readonly command?: { readonly words: string; readonly about: string };
  /** Of the command: `names` also under a document that does not load. */
  readonly needs: "names" | "rules";
  readonly input: z.ZodObject<Shape>;
  /** A field that only an operator may give: it calls the service. */
  readonly ofOperator?: string;
  /** The API takes `limit` and `after`. */
  readonly isPaged?: boolean;
  /** Of the API. Fields may be added later, so a reader ignores those that it does not know. */
  readonly answer: z.ZodType;
  run(
    call: ReadingCall<Given<Shape>> & { readonly recent: Recent; readonly page: AskedPage },
  ): Promise<object>;
}

export function defineReading<Shape extends Fields>(reading: Reading<Shape>): Reading & Reading<Shape> {
  return reading;
}

export const count = z.number().int().min(0);
export const counts = z.record(z.string(), z.number());
export const time = z.number().describe("Unix ms.");
export const open = z.looseObject({});
export const next = z.string().nullable().describe("For `after`; null: there is no more.");
export const owner = z.object({ name: z.string(), at: time });

/** A list by trouble moves between two pages, so its cursor is a position. Something may be missed or come twice. */
export async function toPage<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  { limit, after = "0" }: AskedPage,
): Promise<{ readonly rows: readonly Row[]; readonly next: string | null }> {
  if (!/^\d{1,9}$/.test(after)) {
    throw misused("the cursor is none of this list");
  }
  const end = Number(after) + limit;
  const shown: Row[] = [];
  let at = 0;
  for await (const row of rows) {
    if (at === end) return { rows: shown, next: String(end) };
    if (at >= Number(after)) shown.push(row);
    at += 1;
  }
  return { rows: shown, next: null };
}
