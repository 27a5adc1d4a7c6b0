import type { Answer, Exchange } from "../http/exchange.ts";
import type { Params, Route } from "../http/routes.ts";
import type { Operation } from "../journal.ts";
import type { World } from "../world.ts";

type Perform = (world: World, exchange: Exchange, params: Params) => Answer;

export interface MessageRoute extends Route {
  readonly operation: Operation;
  readonly perform: Perform;
}

export const route = (
  operation: Operation,
  method: string,
  path: string,
  perform: Perform,
): MessageRoute => ({ operation, method, path, perform });
