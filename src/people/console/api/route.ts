import type { z } from "zod";
import type { ConsoleRole } from "../../../job/contracts/console-roles.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { Person } from "../access/person.ts";
import type { ScreenContext } from "../screen.ts";

interface ApiCall<Query, Body> extends Pick<
  ScreenContext,
  "core" | "reads" | "plans" | "now" | "signal" | "params"
> {
  readonly query: Query;
  readonly body: Body;
  readonly requestSweep: (source: SourceId) => Promise<void>;
  readonly person: Person;
  /** Who, for the audit; empty for a read. */
  readonly by: string;
}

export interface ApiRoute<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  readonly method: "get" | "post";
  /** As hono writes paths, below /api/v1: `/failures/:id`. */
  readonly path: string;
  readonly role: ConsoleRole;
  readonly summary: string;
  readonly query: Query;
  /** Null: a read. */
  readonly body: Body | null;
  readonly status: 200 | 202;
  readonly answer: z.ZodType;
  /** Of refusals, besides those of every route. */
  readonly refuses: readonly (404 | 409)[];
  readonly run: (call: ApiCall<z.output<Query>, z.output<Body>>) => Promise<object>;
}

/** Fields that stand in a path: `id` of `/failures/:id`. */
export function paramsOf({ path }: Pick<ApiRoute, "path">): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** Routes of different queries and bodies in one list. */
export function defineRoute<Query extends z.ZodType, Body extends z.ZodType>(
  route: ApiRoute<Query, Body>,
): ApiRoute {
  return route;
}
