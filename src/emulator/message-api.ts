import { dlq } from "./api/dlq.ts";
import { messages } from "./api/messages.ts";
import { publishing } from "./api/publishing.ts";
import { queues } from "./api/queues.ts";
import type { MessageRoute } from "./api/route.ts";
import { service } from "./api/service.ts";
import { urlGroups } from "./api/url-groups.ts";
import { misbehave } from "./faults/misbehave.ts";
import { isBasic, isBearer } from "./http/auth.ts";
import { errorFor } from "./http/error-form.ts";
import { statusOf, type Answer, type Exchange, type Reply } from "./http/exchange.ts";
import { findRoute } from "./http/routes.ts";
import type { Operation } from "./journal.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

const routes: readonly MessageRoute[] = [
  ...publishing,
  ...dlq,
  ...messages,
  ...urlGroups,
  ...queues,
  ...service,
];

/** Answers one request to the service and writes it into the journal. */
export async function serveMessageApi(world: World, exchange: Exchange): Promise<Reply> {
  const startedAt = performance.now();
  const { operation, reply } = await dispatch(world, exchange);
  world.journal.add({
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

async function dispatch(world: World, exchange: Exchange): Promise<{ operation: Operation; reply: Reply }> {
  let operation: Operation = "manage";
  try {
    const { route, params } = findRoute(routes, exchange);
    operation = route.operation;
    if (!isAuthorized(world, operation, exchange)) throw new Refusal(401, "unauthorized");
    const limited = world.rateLimits.admit(operation);
    if (limited !== undefined) return { operation, reply: limited };
    const perform = (): Answer => refusalsAsAnswers(operation, () => route.perform(world, exchange, params));
    return { operation, reply: await misbehave(world.faults, operation, () => world.clock.now(), perform) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { operation, reply: errorFor(operation, error.status, error.message) };
  }
}

function refusalsAsAnswers(operation: Operation, perform: () => Answer): Answer {
  try {
    return perform();
  } catch (error) {
    if (error instanceof Refusal) return errorFor(operation, error.status, error.message);
    throw error;
  }
}

function isAuthorized(world: World, operation: Operation, exchange: Exchange): boolean {
  const authorization = exchange.header("authorization");
  return operation === "statistics"
    ? isBasic(authorization, world.settings.statsCredentials)
    : isBearer(authorization, world.token);
}
