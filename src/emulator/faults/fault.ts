import { z } from "zod";

/** Which requests a fault concerns; "any" is all of them. */
const operation = z.enum(["batch", "list", "delete", "statistics", "manage", "any"]);

/** Before: nothing has happened yet. After: it has taken effect, only the answer is touched. */
const when = z.enum(["before", "after"]);

const common = {
  /** Unique; made up from kind and a number where it is left out. */
  name: z.string().min(1).max(200).optional(),
  /** Of each request (of each item for item-error); default 1. */
  probability: z.number().min(0).max(1).optional(),
  /** How often it fires before it is used up; default without end. */
  count: z.number().int().min(1).optional(),
};
const forBatch = { operation: z.literal("batch").default("batch") };
const forList = { operation: z.literal("list").default("list") };

export const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("latency"), ...common, operation, ms: z.number().min(0) }),
  z.strictObject({
    kind: z.literal("stall-answer"),
    ...common,
    operation,
    when: when.default("after"),
    /** Real milliseconds; without it until released or removed. */
    forMs: z.number().min(0).optional(),
  }),
  z.strictObject({ kind: z.literal("drop-answer"), ...common, operation, when: when.default("after") }),
  z.strictObject({ kind: z.literal("cut-answer"), ...common, operation }),
  z.strictObject({ kind: z.literal("malformed-json"), ...common, operation }),
  z.strictObject({
    kind: z.literal("status"),
    ...common,
    operation,
    when: when.default("before"),
    status: z.number().int().min(300).max(599),
    error: z.string().optional(),
    /** Adds the headers of that rate limit. */
    limit: z.enum(["burst", "daily"]).optional(),
    /** Seconds until the limit's reset. */
    resetInS: z.number().int().min(0).default(1),
    headers: z.record(z.string(), z.string()).optional(),
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
    /** Whether the refused item's deduplication id counts as seen. */
    registersDeduplication: z.boolean().default(false),
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
  z.strictObject({
    kind: z.literal("delete-works-answers-500"),
    ...common,
    operation: z.literal("delete").default("delete"),
  }),
]);

export type FaultDefinition = z.input<typeof faultSchema>;
export type ParsedFault = z.output<typeof faultSchema>;
export type FaultKind = ParsedFault["kind"];

/** A fault as it is listed. */
export type FaultState = ParsedFault & {
  readonly name: string;
  readonly fired: number;
  /** Requests it holds back right now. */
  readonly held: number;
};
