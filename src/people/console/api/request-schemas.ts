/** What a caller of the API may send. */
import { z } from "zod";
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { failureStates } from "../../read/failure-views.ts";
import { failureId } from "../../operations/fields.ts";
import { auditActs } from "../../../job/contracts/audit.ts";

export const maxPage = 500;
const defaultPage = 100;
const name = z.string().min(1).max(200);
const text = z.string().trim().min(1).max(500);
const unixMs = z.coerce.number().int().min(0).max(9e15);
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(maxPage)
  .default(defaultPage)
  .describe(`At most so many; ${defaultPage} if it is not given.`);
const after = z.string().max(300).optional().describe("`next` of the page before.");
const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((value) => value === "true");

const failure = failureId.optional();

export const noQuery = z.strictObject({});

export const failuresQuery = z.strictObject({
  drain: name.optional(),
  host: name.optional().describe("A destination; * stands for any part."),
  state: z.enum(failureStates).optional(),
  all: flag.describe("Also those with nothing waiting that were not seen for a day."),
  limit,
  after,
});

export const failureQuery = z.strictObject({
  sample: flag.describe(
    "What the rules do with one of them now. It calls the service, so it needs an operator.",
  ),
});

export const lanesQuery = z.strictObject({ drain: name.optional(), limit, after });

const source = name.optional().describe("Needed if the document has several sources.");

export const messageQuery = z.strictObject({ source });

export const parkedQuery = z.strictObject({
  source,
  drain: name.optional(),
  reason: z.enum(parkReasons).optional().describe("Of parking."),
  failure: failure.describe("The id of a kind of failure."),
  limit,
  after,
});

export const historyQuery = z.strictObject({
  drain: name.optional(),
  act: z
    .string()
    .transform((names) => names.split(","))
    .pipe(z.array(z.enum(auditActs)))
    .optional()
    .describe("One act, or several with commas."),
  by: name.optional().describe("A person or daemon; * stands for any part."),
  host: name.optional(),
  rule: name.optional(),
  from: unixMs.optional().describe("Unix ms."),
  to: unixMs.optional().describe("Unix ms."),
  limit,
  after,
});

export const reportQuery = historyQuery.pick({ host: true, from: true, to: true });

export const by = text
  .max(100)
  .optional()
  .describe(
    "Your name. Needed if the console does not know who asks (console.auth none), else without effect.",
  );
export const reason = text.describe("Why; written into the audit.");
