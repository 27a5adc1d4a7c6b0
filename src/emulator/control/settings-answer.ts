import { z } from "zod";
import { json, type HttpAnswer } from "../http/exchange.ts";
import { operations } from "../journal.ts";
import { adjust, adjustableOf, type Adjustable, type EmulatorSettings } from "../options.ts";
import { accept } from "../http/json-body.ts";

/** JSON has no infinity: null stands for "never" and "unlimited". */
const endless = (schema: z.ZodNumber) => schema.nullable().transform((value) => value ?? Infinity);
const natural = z.number().int().min(0);

const rateLimit = z.strictObject({
  limit: natural,
  windowMs: z.number().int().min(1),
  kind: z.enum(["burst", "daily"]).optional(),
});

const adjustment = z
  .strictObject({
    order: z.enum(["earliestFirst", "latestFirst"]),
    cursorBy: z.enum(["record", "offset"]),
    dateFilter: z.enum(["entered", "created"]),
    retentionMs: endless(z.number().min(1)),
    retryScale: z.number().min(0).max(1_000),
    dedupWindowMs: natural,
    dedupWindowFrom: z.enum(["first", "last"]),
    deliver: z.enum(["loopback", "any"]),
    missingStatus: z.enum(["absent", "zero"]),
    recordHeaders: z.enum(["forwarded", "sent"]),
    earlierForm: z.boolean(),
    listParameters: z.enum(["production", "spec"]),
    maxMessageBytes: natural,
    maxRetries: endless(natural),
    rateLimits: z.partialRecord(z.enum([...operations, "dlq"]), rateLimit),
    seed: natural.max(2 ** 32 - 1),
  } satisfies Record<keyof Adjustable, z.ZodType>)
  .partial();

/** What may change while the emulator runs, as it is now. */
export const settingsAnswer = (settings: EmulatorSettings): HttpAnswer =>
  json(200, { ...adjustableOf(settings), seed: settings.seed ?? null });

/** All of what is given is changed, or nothing. */
export function changeSettings(settings: EmulatorSettings, payload: unknown): HttpAnswer {
  adjust(settings, accept(adjustment, payload));
  return settingsAnswer(settings);
}
