import type { z } from "zod";
import type { ConsoleRole } from "../../../job/contracts/console-roles.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { Person } from "../access/person.ts";
import type { ScreenContext } from "../screen.ts";

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
