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
    // Only one of two headers can give the length of a body, and this one is how Node frames.
    if (name.toLowerCase() === "transfer-encoding") {
      context.addIssue({ code: "custom", path: [name], message: "cannot be set" });
    }
  }
});

/** A fault of some kind, with the fields that all of them have. */
const fault = <const Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.strictObject({
    kind: z.literal(kind),
    /** Unique; made up from kind and a number if it is left out. */
    name: z.string().min(1).max(200).optional(),
    /** Of each request (of each item for item-error and half-failed-group); default 1. */
    probability: z.number().min(0).max(1).optional(),
    /** How often it fires before it is used up; default without end. */
    count: z.number().int().min(1).optional(),
    ...fields,
  });

const onlyBatch = { operation: z.literal("batch").default("batch") };
const onlyList = { operation: z.literal("list").default("list") };
const onlyDelete = { operation: z.literal("delete").default("delete") };

/** Which items of a batch it concerns; all of them if neither is given. */
const ofItems = {
  ...onlyBatch,
  destinationContains: z.string().optional(),
  bodyContains: z.string().optional(),
};

export const faultSchema = z.discriminatedUnion("kind", [
  fault("latency", {
    operation,
    ms: realMs,
    /** If it is given, the wait is anything between `ms` and this. */
    toMs: realMs.optional(),
  }).refine(({ ms, toMs }) => toMs === undefined || toMs >= ms, { path: ["toMs"], error: "less than ms" }),
  fault("stall-answer", {
    operation,
    when: when.default("after"),
    /** What the answer waits before: its head, or the second half of its body. */
    at: z.enum(["head", "body"]).default("head"),
    /** Real milliseconds; without it until released or removed. */
    forMs: realMs.optional(),
  }).refine(({ at, when: moment }) => at === "head" || moment === "after", {
    path: ["when"],
    error: "half of an answer can be sent only after",
  }),
  fault("drop-answer", { operation, when: when.default("after"), close }),
  fault("cut-answer", { operation, close }),
  fault("malformed-json", { operation }),
  /**
   * Sets headers of an answer that is right otherwise: a wrong content type, a wrong length, a wrong date.
   */
  fault("headers", { operation, headers }),
  fault("status", {
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
  fault("item-error", {
    ...ofItems,
    /** Only items at these positions, counted from 0. */
    positions: z.array(z.number().int().min(0)).optional(),
    error: z.string().default("could not publish this message"),
    /** Stands in the answer instead of `{"error"}`: any JSON, null included. */
    answer: z.json().optional(),
    /** Whether the item is published all the same, so that its answer is a lie. */
    published: z.boolean().default(false),
    /** Whether the refused item's deduplication id counts as seen. */
    registersDeduplication: z.boolean().default(false),
  }),
  /** One item that is concerned takes the whole call down with it: nothing is published. */
  fault("refuse-batch", {
    ...ofItems,
    status: z.number().int().min(400).max(499).default(400),
    error: z.string().default("could not accept this batch"),
    /** Whether the deduplication ids of all items of the call count as seen. */
    registersDeduplication: z.boolean().default(false),
  }),
  /** Every other endpoint of a URL Group gets the message, the rest have an error in the answer. */
  fault("half-failed-group", {
    ...ofItems,
    error: z.string().default("could not publish to this endpoint"),
  }),
  fault("short-answer", { ...onlyBatch, by: z.number().int().min(1).default(1) }),
  fault("long-answer", { ...onlyBatch, by: z.number().int().min(1).default(1) }),
  fault("reordered-answer", onlyBatch),
  fault("repeat-page", onlyList),
  fault("looping-cursor", onlyList),
  fault("endless-list", onlyList),
  /** Seeds records once the page has been taken, before it is answered. */
  fault("arriving-records", {
    ...onlyList,
    records: z.array(seedRecordSchema).min(1).max(10_000).default([{}]),
  }),
  /** What a bulk delete removed is still listed for a while, although it is deleted. */
  fault("lagging-list", { ...onlyDelete, forMs: realMs }),
  fault("delete-works-answers-500", onlyDelete),
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
