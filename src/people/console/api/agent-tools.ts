/**
 * What an agent may call: the reads of the API, making a plan, and applying one by its hash. Each follows from its
 * route, so a new read is a new tool. Nothing else acts: what an agent applies was frozen, and can be read first.
 */
import { z } from "zod";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SharedPlan } from "../../../job/contracts/plans.ts";
import { whyNot } from "../access/person.ts";
import { parse, paramsOf, type ApiRoute } from "./answer.ts";
import { toSchema } from "./open-api.ts";
import { ApiRefusal } from "./refusal.ts";
import { reason, routes } from "./operation-route.ts";

/** As a route is called, without what it reads from a request. */
type Caller = Omit<Parameters<ApiRoute["run"]>[0], "query" | "body" | "params">;

export interface AgentTool {
  readonly name: string;
  readonly about: string;
  /** JSON Schema of its arguments. */
  readonly input: object;
  readonly isReading: boolean;
  /** Throws `ApiRefusal`, or what the route throws. */
  call(caller: Caller, given: unknown): Promise<object>;
}

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "expected the 64 hexadecimal digits of a plan's made.sha256")
  .describe("made.sha256 of the plan, as read_plans shows it.");

export function toAgentTools(): readonly AgentTool[] {
  const making = routeOf("/plans");
  return [
    ...routes.filter(({ method }) => method === "get").map(toReading),
    defineTool(making, {
      name: "make_plan",
      about: `${making.summary}. It is made after the answer: read_plans_id shows when it is ready.`,
      // The name is of who started the server, and not of who calls.
      schema: (making.body as z.ZodObject).omit({ by: true }),
      run: (caller, body) => making.run({ ...caller, params: {}, query: {}, body }),
    }),
    toApplying(routeOf("/plans/:id/apply")),
  ];
}

function routeOf(path: string): ApiRoute {
  const found = routes.find((route) => route.method === "post" && route.path === path);
  if (found === undefined) throw new RedriverError("invariant-broken", `there is no route ${path}`);
  return found;
}

function toReading(route: ApiRoute): AgentTool {
  const inPath = paramsOf(route);
  const path = Object.fromEntries(inPath.map((name) => [name, z.string().min(1)]));
  return defineTool(route, {
    name: `read${route.path.replaceAll(/\W+/g, "_")}`,
    about: route.summary,
    schema: route.query.extend(path),
    run: (caller, given) => {
      const params = Object.fromEntries(inPath.map((name) => [name, String(given[name])]));
      const asked = Object.entries(given).filter(([name]) => !inPath.includes(name));
      return route.run({ ...caller, params, query: Object.fromEntries(asked), body: null });
    },
  });
}

function toApplying(route: ApiRoute): AgentTool {
  return defineTool(route, {
    name: "apply_plan",
    about: `${route.summary}. By the plan's hash alone: so it is the plan that was read`,
    schema: z.strictObject({ sha256: hash, reason }),
    async run(caller, { sha256, reason: why }) {
      const plans: readonly SharedPlan[] = await caller.plans.list();
      const plan = plans.find(({ made }) => made?.sha256 === sha256);
      if (plan === undefined) throw new RedriverError("not-found", "no plan has this hash, or not any more");
      return route.run({ ...caller, params: { id: plan.id }, query: {}, body: { reason: why } });
    },
  });
}

function defineTool(
  { role, method }: ApiRoute,
  tool: Pick<AgentTool, "name" | "about"> & {
    readonly schema: z.ZodObject;
    readonly run: (caller: Caller, given: Readonly<Record<string, unknown>>) => Promise<object>;
  },
): AgentTool {
  const { name, about, schema, run } = tool;
  return {
    name,
    about: `${about}. Needs the role ${role}.`,
    input: toSchema(schema),
    isReading: method === "get",
    async call(caller, given) {
      const why = whyNot(caller.person, role);
      if (why !== null) throw new ApiRefusal(403, "not-allowed", `this ${why}`);
      return run(caller, parse(schema, given ?? {}, "the arguments"));
    },
  };
}
