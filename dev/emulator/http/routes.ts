import { EmulatorRefusal } from "../refusal.ts";

export type Params = Readonly<Record<string, string>>;

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
}

/**
 * In a path `{name}` stands for one segment of any text, decoded. `{name...}` at the end stands for all that
 * is left, as it was sent. A slash at the end makes no difference, unless it belongs to the rest.
 */
export function toRoute(method: string, path: string): Route {
  const segments = path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  const pattern = segments.replace(/\{(\w+)\.\.\.\}$/, "(?<$1>.+)");
  return { method, path, pattern: new RegExp(pattern === segments ? `^${pattern}/?$` : `^${pattern}$`) };
}

/**
 * The route that answers, with its parameters. 404 where no path fits, 405 where only the method does not.
 */
export function findRoute<R extends Route>(
  routes: readonly R[],
  { method, path }: { readonly method: string; readonly path: string },
): { readonly route: R; readonly params: Params } {
  let pathFits = false;
  for (const route of routes) {
    const params = paramsOf(route, path);
    if (params === undefined || lacksId(routes, route, path)) continue;
    if (route.method === method) return { route, params };
    pathFits = true;
  }
  if (pathFits) throw new EmulatorRefusal(405, `method ${method} is not allowed here`);
  throw new EmulatorRefusal(404, `no such path: ${path}`);
}

/** `DELETE /v2/dlq/` names one record with an empty id: it is no bulk delete. */
const lacksId = (routes: readonly Route[], { method, path }: Route, given: string): boolean =>
  given === `${path}/` &&
  routes.some((other) => {
    const id = other.path.startsWith(given) ? other.path.slice(given.length) : "";
    return other.method === method && /^\{\w+\}$/.test(id);
  });

function paramsOf(route: Route, path: string): Params | undefined {
  const match = route.pattern.exec(path);
  if (match === null) return undefined;
  const isRest = (name: string): boolean => route.path.endsWith(`{${name}...}`);
  try {
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      isRest(name) ? value : decodeURIComponent(value),
    ]);
    return Object.fromEntries(params) as Params;
  } catch {
    return undefined;
  }
}
