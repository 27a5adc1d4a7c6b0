import { isBasic, isBearer } from "./http/auth.ts";
import { errorFor } from "./http/error-form.ts";
import {
  errorAnswer,
  isHangUp,
  json,
  readJson,
  type Answer,
  type Exchange,
  type Reply,
} from "./http/exchange.ts";
import { findRoute, type Params, type Route } from "./http/routes.ts";
import type { Operation } from "./journal.ts";
import { parseDlqQuery } from "./dlq/dlq-query.ts";
import { listAnswer } from "./dlq/list-answer.ts";
import { misbehave } from "./faults/misbehave.ts";
import { batchAnswer } from "./publish/batch-answer.ts";
import { parseEndpoints, parseQueue } from "./publish/management.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

type Perform = (world: World, exchange: Exchange, params: Params) => Answer;

interface MessageRoute extends Route {
  readonly operation: Operation;
  readonly perform: Perform;
}

const route = (operation: Operation, method: string, path: string, perform: Perform): MessageRoute => ({
  operation,
  method,
  path,
  perform,
});

const routes: readonly MessageRoute[] = [
  route("batch", "POST", "/v2/batch", (world, exchange) =>
    batchAnswer(world, readJson(exchange), exchange.remoteAddress),
  ),
  route("list", "GET", "/v2/dlq", (world, exchange) =>
    listAnswer(world, parseDlqQuery(exchange.query, "list"), exchange.query.get("cursor")),
  ),
  route("delete", "DELETE", "/v2/dlq", (world, exchange) =>
    json(200, world.deadLetters.delete(parseDlqQuery(exchange.query, "delete"))),
  ),
  route("manage", "GET", "/v2/dlq/{dlqId}", (world, _exchange, { dlqId }) => {
    const record = world.deadLetters.find(dlqId!);
    return record === undefined ? errorAnswer(404, "dead letter not found") : json(200, record);
  }),
  route("manage", "DELETE", "/v2/dlq/{dlqId}", (world, _exchange, { dlqId }) => {
    const gone = world.deadLetters.remove([dlqId!]).length === 0;
    return gone ? errorAnswer(404, "dead letter not found") : json(200, {});
  }),
  route("manage", "POST", "/v2/topics/{name}/endpoints", (world, exchange, { name }) => {
    const known = world.directory.urlGroup(name!)?.endpoints ?? [];
    const added = parseEndpoints(readJson(exchange));
    const kept = known.filter((endpoint) => !added.some(({ url }) => url === endpoint.url));
    world.directory.putUrlGroup(name!, [...kept, ...added]);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/queues", (world, exchange) => {
    const { name, parallelism } = parseQueue(readJson(exchange));
    world.directory.putQueue(name, parallelism);
    return json(200, {});
  }),
  route("statistics", "GET", "/v2/search/{id}/stats", (world, exchange, { id }) =>
    world.indexes.statistics(id!, exchange.query, world.clock.now()),
  ),
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
    status: isHangUp(reply) ? 0 : reply.status,
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
