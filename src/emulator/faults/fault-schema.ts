import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import { seedRecordSchema } from "../dlq/seed-record.ts";
import { operations } from "../journal.ts";

/** Which requests a fault concerns; "any" is all of them. */
const operation = z.enum([...operations, "any"]);

/** Before: nothing has happened yet. After: it has taken effect, only the answer is touched. */
const when = z.enum(["before", "after"]);

/** How the connection ends: politely, or with a TCP reset. */
const close = z.enum(["fin", "reset"]).default("fin");

/** A timer cannot be set for longer than 2^31 ms; a day is enough. */
const realMs = z.number().min(0).max(86_400_000);

const headers = z.record(z.string(), z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      context.addIssue({ code: "custom", path: [name], message: "not a header that can be sent" });
    }
    // The length of a body is told by one of them only, and this one is how Node frames.
    if (name.toLowerCase() === "transfer-encoding") {
      context.addIssue({ code: "custom", path: [name], message: "cannot be set" });
    }
  }
});

const common = {
  /** Unique; made up from kind and a number where it is left out. */
  name: z.string().min(1).max(200).optional(),
  /** Of each request (of each item for item-error and half-failed-group); default 1. */
  probability: z.number().min(0).max(1).optional(),
  /** How often it fires before it is used up; default without end. */
  count: z.number().int().min(1).optional(),
};
const forBatch = { operation: z.literal("batch").default("batch") };
const forList = { operation: z.literal("list").default("list") };
const forDelete = { operation: z.literal("delete").default("delete") };

export const faultSchema = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("latency"),
      ...common,
      operation,
      ms: realMs,
      /** Where it is given, the wait is anything between `ms` and this. */
      toMs: realMs.optional(),
    })
    .refine(({ ms, toMs }) => toMs === undefined || toMs >= ms, { path: ["toMs"], error: "less than ms" }),
  z
    .strictObject({
      kind: z.literal("stall-answer"),
      ...common,
      operation,
      when: when.default("after"),
      /** What the answer waits before: its head, or the second half of its body. */
      at: z.enum(["head", "body"]).default("head"),
      /** Real milliseconds; without it until released or removed. */
      forMs: realMs.optional(),
    })
    .refine((fault) => fault.at === "head" || fault.when === "after", {
      path: ["when"],
      error: "half of an answer can be sent only after",
    }),
  z.strictObject({
    kind: z.literal("drop-answer"),
    ...common,
    operation,
    when: when.default("after"),
    close,
  }),
  z.strictObject({ kind: z.literal("cut-answer"), ...common, operation, close }),
  z.strictObject({ kind: z.literal("malformed-json"), ...common, operation }),
  /** Sets headers of an answer that is right otherwise: a wrong content type, a wrong length, a wrong date. */
  z.strictObject({ kind: z.literal("headers"), ...common, operation, headers }),
  z.strictObject({
    kind: z.literal("status"),
    ...common,
    operation,
    when: when.default("before"),
    status: z.number().int().min(200).max(599),
    error: z.string().optional(),
    /** The whole body, as it is sent, instead of an error in the form of the API. */
    body: z.string().optional(),
    /** Adds the headers of that rate limit. */
    limit: z.enum(["burst", "daily"]).optional(),
    /** Seconds until the limit's reset. */
    resetInS: z.number().int().min(0).default(1),
    headers: headers.optional(),
  }),
  z.strictObject({
    kind: z.literal("item-error"),
    ...common,
    ...forBatch,
    /** Only items at these positions, counted from 0. */
    positions: z.array(z.number().int().min(0)).optional(),
    destinationContains: z.string().optional(),
    bodyContains: z.string().optional(),
    error: z.string().default("could not publish this message"),
    /** Stands in the answer instead of `{"error"}`: any JSON, null included. */
    answer: z.json().optional(),
    /** Whether the item is published all the same, so that its answer is a lie. */
    published: z.boolean().default(false),
    /** Whether the refused item's deduplication id counts as seen. */
    registersDeduplication: z.boolean().default(false),
  }),
  /** One item that is concerned takes the whole call down with it: nothing is published. */
  z.strictObject({
    kind: z.literal("refuse-batch"),
    ...common,
    ...forBatch,
    destinationContains: z.string().optional(),
    bodyContains: z.string().optional(),
    status: z.number().int().min(400).max(499).default(400),
    error: z.string().default("could not accept this batch"),
    /** Whether the deduplication ids of all items of the call count as seen. */
    registersDeduplication: z.boolean().default(false),
  }),
  /** Every other endpoint of a URL Group gets the message, the rest have an error in the answer. */
  z.strictObject({
    kind: z.literal("half-failed-group"),
    ...common,
    ...forBatch,
    destinationContains: z.string().optional(),
    bodyContains: z.string().optional(),
    error: z.string().default("could not publish to this endpoint"),
  }),
  z.strictObject({
    kind: z.literal("short-answer"),
    ...common,
    ...forBatch,
    by: z.number().int().min(1).default(1),
  }),
  z.strictObject({
    kind: z.literal("long-answer"),
    ...common,
    ...forBatch,
    by: z.number().int().min(1).default(1),
  }),
  z.strictObject({ kind: z.literal("reordered-answer"), ...common, ...forBatch }),
  z.strictObject({ kind: z.literal("repeat-page"), ...common, ...forList }),
  z.strictObject({ kind: z.literal("looping-cursor"), ...common, ...forList }),
  z.strictObject({ kind: z.literal("endless-list"), ...common, ...forList }),
  /** Seeds records once the page has been taken, before it is answered. */
  z.strictObject({
    kind: z.literal("arriving-records"),
    ...common,
    ...forList,
    records: z.array(seedRecordSchema).min(1).max(10_000).default([{}]),
  }),
  /** What a bulk delete removed is still listed for a while, although it is deleted. */
  z.strictObject({ kind: z.literal("lagging-list"), ...common, ...forDelete, forMs: realMs }),
  z.strictObject({ kind: z.literal("delete-works-answers-500"), ...common, ...forDelete }),
]);

export type FaultDefinition = z.input<typeof faultSchema>;
export type ParsedFault = z.output<typeof faultSchema>;
export type FaultKind = ParsedFault["kind"];

export const faultKinds: readonly FaultKind[] = faultSchema.options.map(({ shape }) => shape.kind.value);

/** A fault as it is listed. */
export type FaultState = ParsedFault & {
  readonly name: string;
  readonly fired: number;
  /** Requests it holds back right now. */
  readonly held: number;
};
