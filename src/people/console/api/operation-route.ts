/** The paths of operations and readings, from their declarations. */
import { z } from "zod";
import {
  expectedName,
  fieldsOf,
  isName,
  kindOf,
  maxReasonCharacters,
  type Operation,
} from "../../operations/define.ts";
import { perform } from "../../operations/perform.ts";
import type { Reading } from "../../operations/reading.ts";
import { whyNot } from "../access/person.ts";
import { parse, paramsOf, type ApiRoute } from "./answer.ts";
import { ApiRefusal } from "./refusal.ts";
import { operations } from "../../operations/operations.ts";
import { readings } from "../../operations/readings.ts";

const text = z.string().trim().min(1).max(maxReasonCharacters);
export const reason = text.describe("Why; written into the audit.");
const by = text
  .refine(isName, `expected ${expectedName}`)
  .optional()
  .describe(
    "Your name. Needed if the console does not know who asks (console.auth none), else without effect.",
  );
const ofActs = { reason, by };

const defaultPage = 100;
const ofPages = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(defaultPage)
    .describe(`At most so many; ${defaultPage} if it is not given.`),
  after: z.string().max(300).optional().describe("`next` of the page before."),
};

const lines = z.array(z.string());

function toRoute(operation: Operation): ApiRoute {
  const { words, role, about, reasonOf, row } = operation;
  const { mayRefuse = false, isBegun = false, mayHaveReason = false } = operation;
  const { path, fields } = apart(operation);
  const optional = mayHaveReason ? { reason: ofActs.reason.optional() } : {};
  return {
    method: "post",
    path: operation.path,
    role,
    summary: `As redriver ${words}: ${about}`,
    query: z.strictObject({}),
    body: z.strictObject({ ...fields, ...(reasonOf === null ? { ...optional, by } : ofActs) }),
    status: isBegun ? 202 : 200,
    answer: z.object({
      done: lines.describe("A line for each thing that was done."),
      refused: lines.describe("A line for each that could not be done now."),
      warnings: lines,
      results: z.array(row),
    }),
    refuses: mayRefuse ? [404, 409] : [404],
    async run({ body, params, by: who, plans, ...call }) {
      const { by: _, reason: why = "", ...given } = body as Partial<z.output<z.ZodObject<typeof ofActs>>>;
      const performed = await perform(operation, {
        ...call,
        plans: () => Promise.resolve(plans),
        stopping: call.signal,
        by: who,
        reason: why,
        isWhole: true,
        input: { ...given, ...parse(path, params, "the path") },
      });
      const { done, refused, warnings } = performed;
      if (done.length === 0 && refused.length > 0) {
        throw new ApiRefusal(409, "act-refused", [...refused, ...warnings].join("; "));
      }
      return performed;
    },
  };
}

function toReadingRoute(reading: Reading): ApiRoute {
  const { summary, ofOperator = "", isPaged = false, answer } = reading;
  const { path, fields } = apart(reading);
  const inQuery = Object.entries(fields).map(([name, schema]) => [name, toQueryField(schema)]);
  return {
    method: "get",
    path: reading.path,
    role: "viewer",
    summary,
    query: z.strictObject({ ...Object.fromEntries(inQuery), ...(isPaged ? ofPages : {}) }),
    body: null,
    status: 200,
    answer,
    refuses: paramsOf(reading).length > 0 ? [404] : [],
    run({ query, params, plans, reads, person, ...call }) {
      const {
        limit = defaultPage,
        after,
        ...given
      } = query as Partial<z.output<z.ZodObject<typeof ofPages>>>;
      const input: Readonly<Record<string, unknown>> = { ...given, ...parse(path, params, "the path") };
      const why = input[ofOperator] === true ? whyNot(person, "operator") : null;
      if (why !== null) throw new ApiRefusal(403, "not-allowed", `${ofOperator} ${why}`);
      const page = { limit, after };
      return reading.run({
        ...call,
        input,
        page,
        isWhole: true,
        plans: () => Promise.resolve(plans),
        recent: reads,
      });
    },
  };
}

function apart(declared: Pick<Operation, "input" | "path">) {
  const inPath = new Set(paramsOf(declared));
  const all = fieldsOf(declared).map(([name, schema]) => [name, schema] as const);
  const path = z.object(Object.fromEntries(all.filter(([name]) => inPath.has(name))));
  return { path, fields: Object.fromEntries(all.filter(([name]) => !inPath.has(name))) };
}

function toQueryField(schema: z.ZodType): z.ZodType {
  if (kindOf(schema) !== "boolean") return schema;
  const isTrue = z.enum(["true", "false"]).default("false");
  return isTrue
    .transform((value) => (value === "true" ? true : undefined))
    .describe(schema.description ?? "");
}

export const routes: readonly ApiRoute[] = [...readings.map(toReadingRoute), ...operations.map(toRoute)];
