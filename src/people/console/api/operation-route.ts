/** The path of an operation, from its declaration. */
import { z } from "zod";
import { fieldsOf, type Operation } from "../../operations/define.ts";
import { perform } from "../../operations/perform.ts";
import { ApiRefusal } from "./refusal.ts";
import { by, noQuery, reason } from "./request-schemas.ts";
import { paramsOf, type ApiRoute } from "./route.ts";

/** Fields that stand in the path. Throws `request-invalid`. */
function readPath(operation: Operation, params: Readonly<Record<string, string>>): object {
  const read: Record<string, unknown> = {};
  for (const [name, schema] of fieldsOf(operation)) {
    if (params[name] === undefined) continue;
    const value = schema.safeParse(params[name]);
    if (!value.success) {
      throw new ApiRefusal(
        400,
        "request-invalid",
        `the path: ${name}: ${value.error.issues[0]?.message ?? ""}`,
      );
    }
    read[name] = value.data;
  }
  return read;
}

const lines = z.array(z.string());

export function toRoute(operation: Operation): ApiRoute {
  const { path, words, role, about, reasonOf, row, mayRefuse = false, isBegun = false } = operation;
  const inPath = new Set(paramsOf({ path }));
  const inBody = fieldsOf(operation).filter(([name]) => !inPath.has(name));
  return {
    method: "post",
    path,
    role,
    summary: `As redriver ${words}: ${about}`,
    query: noQuery,
    body: z.strictObject({
      ...Object.fromEntries(inBody.map(([name, schema]) => [name, schema])),
      ...(reasonOf === null ? {} : { reason }),
      by,
    }),
    status: isBegun ? 202 : 200,
    answer: z.object({
      done: lines.describe("A line for each thing that was done."),
      refused: lines.describe("A line for each that could not be done now."),
      warnings: lines,
      results: z.array(row),
    }),
    refuses: mayRefuse ? [404, 409] : [404],
    async run({ body, params, by: who, plans, ...call }) {
      const {
        by: _,
        reason: why = "",
        ...given
      } = body as { readonly by?: string; readonly reason?: string };
      const performed = await perform(operation, {
        ...call,
        plans: () => Promise.resolve(plans),
        stopping: call.signal,
        by: who,
        reason: why,
        isWhole: true,
        input: { ...given, ...readPath(operation, params) },
      });
      const { done, refused, warnings } = performed;
      if (done.length === 0 && refused.length > 0) {
        throw new ApiRefusal(409, "act-refused", [...refused, ...warnings].join("; "));
      }
      return performed;
    },
  };
}
