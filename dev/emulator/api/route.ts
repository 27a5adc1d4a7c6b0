import type { EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { toRoute, type Params, type Route } from "../http/routes.ts";
import type { Operation } from "../journal.ts";
import type { EmulatorCore } from "../emulator-parts.ts";

type Perform = (core: EmulatorCore, exchange: Exchange, params: Params) => EmulatorAnswer;

export interface MessageRoute extends Route {
  readonly operation: Operation;
  readonly perform: Perform;
}

export const route = (
  operation: Operation,
  method: string,
  path: string,
  perform: Perform,
): MessageRoute => ({ ...toRoute(method, path), operation, perform });
