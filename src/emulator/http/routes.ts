import { EmulatorRefusal } from "../refusal.ts";
import type { Exchange } from "./exchange.ts";

export type Params = Readonly<Record<string, string>>;

export interface Route {
  readonly method: string;
  /**
   * Segments, where `{name}` stands for exactly one of any text. `{name...}` at the end stands for all that is left,
   * as it was sent: neither split nor decoded.
   */
  readonly path: string;
}

/** The route that answers, with its parameters. 404 where no path fits, 405 where only the method does not. */
export function findRoute<R extends Route>(
  routes: readonly R[],
  exchange: Exchange,
): { readonly route: R; readonly params: Params } {
  let pathFits = false;
  for (const route of routes) {
    const params = matchPath(route.path, exchange.path);
    if (params === undefined || lacksId(routes, route, exchange)) continue;
    if (route.method === exchange.method) return { route, params };
    pathFits = true;
  }
  if (pathFits) throw new EmulatorRefusal(405, `method ${exchange.method} is not allowed here`);
  throw new EmulatorRefusal(404, `no such path: ${exchange.path}`);
}

/** `DELETE /v2/dlq/` names one record with an empty id: it is no bulk delete. */
const lacksId = (routes: readonly Route[], { method, path }: Route, exchange: Exchange): boolean =>
  exchange.path === `${path}/` &&
  routes.some((other) => {
    const id = other.path.startsWith(`${path}/`) ? other.path.slice(path.length + 1) : "";
    return other.method === method && /^\{\w+\}$/.test(id);
  });

/** A slash at the end makes no difference, unless it belongs to the rest. */
function matchPath(pattern: string, path: string): Params | undefined {
  const restAt = pattern.search(/\{\w+\.\.\.\}$/);
  return restAt < 0 ? matchSegments(pattern, path) : matchRest(pattern, restAt, path);
}

function matchRest(pattern: string, restAt: number, path: string): Params | undefined {
  const head = pattern.slice(0, restAt - 1);
  const segments = path.split("/");
  const headLength = head.split("/").length;
  const rest = segments.slice(headLength).join("/");
  const params = rest === "" ? undefined : matchSegments(head, segments.slice(0, headLength).join("/"));
  return params && { ...params, [pattern.slice(restAt + 1, -"...}".length)]: rest };
}

function matchSegments(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split("/");
  const given = path.replace(/(?<=.)\/$/, "").split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index]!;
    if (!segment.startsWith("{")) {
      if (segment !== value) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === "") return undefined;
    params[segment.slice(1, -1)] = decoded;
  }
  return params;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
