/** One request of the API: role, body, query, who asks; then the route. Never throws. */
import type { z } from "zod";
import { toSafeJson } from "../../../job/message/write-safe-json.ts";
import { whyNot, type Person } from "../access/person.ts";
import { inWords } from "../../operations/define.ts";
import { readText } from "../acts/read-form.ts";
import type { ScreenContext } from "../screen.ts";
import { ApiRefusal, toRefusal, toRefusalAnswer } from "./refusal.ts";
import type { ConsoleRole } from "../../../job/contracts/console-roles.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";

const maxBodyBytes = 16_384;

type ApiCaller = Omit<ApiCall, "query" | "body" | "by"> & Pick<ScreenContext, "query">;

/** `report`: called with errors that are ours to mend. */
export async function answerApi(
  route: ApiRoute,
  request: Request,
  caller: ApiCaller,
  report: (error: unknown) => void,
): Promise<Response> {
  try {
    const why = whyNot(caller.person, route.role);
    if (why !== null) throw new ApiRefusal(403, "not-allowed", `this ${why}`);
    const names = [...caller.query.keys()];
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) {
      throw new ApiRefusal(400, "request-invalid", `the query: expected ${JSON.stringify(twice)} once`);
    }
    const query = parse(route.query, Object.fromEntries(caller.query), "the query");
    const body = route.body === null ? null : parse(route.body, await readJson(request), "the body");
    const answer = await route.run({
      ...caller,
      query,
      body,
      by: route.body === null ? "" : toBy(caller, body),
    });
    const headers = { "content-type": "application/json" };
    return new Response(`${toSafeJson(answer)}\n`, { status: route.status, headers });
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal.code === "unexpected") report(error);
    return toRefusalAnswer(refusal);
  }
}

/**
 * A page of another site can send such a body only after a question (CORS), which nobody here answers. Forms
 * and plain texts, which need no question, are refused.
 */
async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json *(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new ApiRefusal(415, "media-type-wrong", "expected content-type: application/json");
  }
  const text = await readText(request, maxBodyBytes);
  if (text === null) {
    throw new ApiRefusal(413, "request-too-large", `expected a body of at most ${maxBodyBytes / 1_024} KiB`);
  }
  try {
    return JSON.parse(text, refuseBrokenText) as unknown;
  } catch (error) {
    if (error instanceof ApiRefusal) throw error;
    throw new ApiRefusal(400, "request-invalid", "the body is no JSON");
  }
}

/** Half of a surrogate pair is no character: Redis, the audit and addresses could not keep it. */
function refuseBrokenText(name: string, value: unknown): unknown {
  if (/\p{Cs}/u.test(name) || (typeof value === "string" && /\p{Cs}/u.test(value))) {
    throw new ApiRefusal(400, "request-invalid", "the body has half of a surrogate pair");
  }
  return value;
}

/** Names the place and the expectation of each problem, and never the value. */
export function parse<Read>(schema: z.ZodType<Read>, value: unknown, what: string): Read {
  const read = schema.safeParse(value, inWords);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  throw new ApiRefusal(400, "request-invalid", `${what}: ${problems.slice(0, 5).join("; ")}`);
}

function toBy({ person }: ApiCaller, body: unknown): string {
  const by = person.name ?? (body as { readonly by?: string }).by;
  if (by === undefined) {
    throw new ApiRefusal(400, "request-invalid", "the body: by: expected your name, for the audit");
  }
  return `${by} (api)`;
}

interface ApiCall extends Pick<ScreenContext, "core" | "reads" | "plans" | "now" | "signal" | "params"> {
  readonly query: object;
  readonly body: object | null;
  readonly requestSweep: (source: SourceId) => Promise<void>;
  readonly person: Person;
  /** Who, for the audit; empty for a read. */
  readonly by: string;
}

export interface ApiRoute {
  readonly method: "get" | "post";
  /** As hono writes paths, below /api/v1: `/failures/:id`. */
  readonly path: string;
  readonly role: ConsoleRole;
  readonly summary: string;
  readonly query: z.ZodObject;
  /** Null: a read. */
  readonly body: z.ZodObject | null;
  readonly status: 200 | 202;
  readonly answer: z.ZodType;
  /** Of refusals, besides those of every route. */
  readonly refuses: readonly (404 | 409)[];
  readonly run: (call: ApiCall) => Promise<object>;
}

/** Fields that stand in a path: `id` of `/failures/:id`. */
export function paramsOf({ path }: Pick<ApiRoute, "path">): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}
