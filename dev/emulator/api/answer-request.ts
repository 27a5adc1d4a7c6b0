import { applyFaults } from "../faults/apply-faults.ts";
import type { EmulatorCore } from "../emulator-parts.ts";
import { errorFor, statusOf, type EmulatorAnswer, type Reply } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { findRoute } from "../http/routes.ts";
import type { Operation } from "../journal.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { isAuthorized } from "./authorization.ts";
import { flowControlRoutes } from "./flow-control-routes.ts";
import { groupAndQueueRoutes } from "./group-and-queue-routes.ts";
import { dlqRoutes } from "./dlq-routes.ts";
import { logRoutes } from "./log-routes.ts";
import { messageRoutes } from "./message-and-service-routes.ts";
import { scheduleRoutes } from "./schedule-routes.ts";

const routes = [
  ...messageRoutes,
  ...dlqRoutes,
  ...groupAndQueueRoutes,
  ...flowControlRoutes,
  ...logRoutes,
  ...scheduleRoutes,
];

export async function serveMessageApi(core: EmulatorCore, exchange: Exchange): Promise<Reply> {
  const startedAt = performance.now();
  const { operation, reply } = await dispatch(core, exchange);
  core.journal.add({
    type: "request",
    operation,
    method: exchange.method,
    path: exchange.path,
    query: exchange.rawQuery,
    status: statusOf(reply),
    durationMs: Math.round(performance.now() - startedAt),
  });
  return reply;
}

async function dispatch(
  core: EmulatorCore,
  exchange: Exchange,
): Promise<{ operation: Operation; reply: Reply }> {
  let operation: Operation = "manage";
  try {
    const { route, params } = findRoute(routes, exchange);
    operation = route.operation;
    if (!isAuthorized(core, operation, exchange)) throw new EmulatorRefusal(401, "unauthorized");
    const limited = core.rateLimits.admit(operation);
    if (limited !== undefined) return { operation, reply: limited };
    const perform = (): EmulatorAnswer =>
      refusalsAsAnswers(operation, () => route.perform(core, exchange, params));
    return { operation, reply: await applyFaults(core.faults, operation, () => core.clock.now(), perform) };
  } catch (error) {
    if (!(error instanceof EmulatorRefusal)) throw error;
    return { operation, reply: errorFor(operation, error.status, error.message) };
  }
}

function refusalsAsAnswers(operation: Operation, perform: () => EmulatorAnswer): EmulatorAnswer {
  try {
    return perform();
  } catch (error) {
    if (error instanceof EmulatorRefusal) return errorFor(operation, error.status, error.message);
    throw error;
  }
}
