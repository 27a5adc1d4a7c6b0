import { Refusal } from "../refusal.ts";
import type { Exchange } from "./exchange.ts";

export type Params = Readonly<Record<string, string>>;

export interface Route {
  readonly method: string;
  /** Segments, where `{name}` stands for exactly one of any text. */
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
    if (params === undefined) continue;
    if (route.method === exchange.method) return { route, params };
    pathFits = true;
  }
  if (pathFits) throw new Refusal(405, `method ${exchange.method} is not allowed here`);
  throw new Refusal(404, `no such path: ${exchange.path}`);
}

/** A slash at the end makes no difference. */
function matchPath(pattern: string, path: string): Params | undefined {
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
