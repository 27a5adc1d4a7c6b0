import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import { seedRecordSchema } from "../dlq/seeded-record.ts";
import { operations } from "../journal.ts";

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

const fault = <const Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.strictObject({
    kind: z.literal(kind),
    name: z.string().min(1).max(200).optional(),
    /** Of each request (of each item for item-error and half-failed-group); default 1. */
    probability: z.number().min(0).max(1).optional(),
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

/** What each kind does, and what its fields mean, is in docs/internals/emulator.md. */
export const faultSchema = z.discriminatedUnion("kind", [
  fault("latency", {
    operation,
    ms: realMs,
    toMs: realMs.optional(),
  }).refine(({ ms, toMs }) => toMs === undefined || toMs >= ms, { path: ["toMs"], error: "less than ms" }),
  fault("stall-answer", {
    operation,
    when: when.default("after"),
    at: z.enum(["head", "body"]).default("head"),
    forMs: realMs.optional(),
  }).refine(({ at, when: moment }) => at === "head" || moment === "after", {
    path: ["when"],
    error: "half of an answer can be sent only after",
  }),
  fault("drop-answer", { operation, when: when.default("after"), close }),
  fault("cut-answer", { operation, close }),
  fault("malformed-json", { operation }),
  fault("headers", { operation, headers }),
  fault("status", {
    operation,
    when: when.default("before"),
    status: z.number().int().min(200).max(599),
    error: z.string().optional(),
    body: z.string().optional(),
    limit: z.enum(["burst", "daily"]).optional(),
    resetInS: z.number().int().min(0).default(1),
    headers: headers.optional(),
  }),
  fault("item-error", {
    ...ofItems,
    positions: z.array(z.number().int().min(0)).optional(),
    error: z.string().default("could not publish this message"),
    answer: z.json().optional(),
    published: z.boolean().default(false),
    registersDeduplication: z.boolean().default(false),
  }),
  fault("refuse-batch", {
    ...ofItems,
    status: z.number().int().min(400).max(499).default(400),
    error: z.string().default("could not accept this batch"),
    registersDeduplication: z.boolean().default(false),
  }),
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
  fault("arriving-records", {
    ...onlyList,
    records: z.array(seedRecordSchema).min(1).max(10_000).default([{}]),
  }),
  fault("lagging-list", { ...onlyDelete, forMs: realMs }),
  fault("delete-works-answers-500", onlyDelete),
]);

export type FaultDefinition = z.input<typeof faultSchema>;
export type ParsedFault = z.output<typeof faultSchema>;
export type FaultKind = ParsedFault["kind"];

export const faultKinds: readonly FaultKind[] = faultSchema.options.map(({ shape }) => shape.kind.value);

export type FaultState = ParsedFault & {
  readonly name: string;
  readonly fired: number;
  /** Requests it holds back right now. */
  readonly held: number;
};
