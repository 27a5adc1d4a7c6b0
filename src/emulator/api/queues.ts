import { errorAnswer, json, readJson } from "../http/exchange.ts";
import type { QueueState } from "../publish/directory.ts";
import { parseQueue } from "../publish/management.ts";
import type { World } from "../world.ts";
import { route, type MessageRoute } from "./route.ts";

export const queues: readonly MessageRoute[] = [
  route("manage", "POST", "/v2/queues", (world, exchange) => {
    const { queueName, parallelism, paused } = parseQueue(readJson(exchange));
    world.directory.putQueue(queueName, parallelism, paused);
    return json(200, {});
  }),
  route("manage", "GET", "/v2/queues", (world) => {
    const lags = lagsOf(world);
    return json(
      200,
      world.directory.queueStates().map((state) => shown(state, lags)),
    );
  }),
  route("manage", "GET", "/v2/queues/{name}", (world, _exchange, { name }) => {
    const state = world.directory.queueState(name!);
    return state === undefined ? errorAnswer(404, "queue not found") : json(200, shown(state, lagsOf(world)));
  }),
  route("manage", "DELETE", "/v2/queues/{name}", (world, _exchange, { name }) => {
    world.directory.removeQueue(name!);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/queues/{name}/pause", (world, _exchange, { name }) => {
    world.directory.putQueue(name!, undefined, true);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/queues/{name}/resume", (world, _exchange, { name }) => {
    world.directory.putQueue(name!, undefined, false);
    return json(200, {});
  }),
];

/** Messages of each queue that have not ended, the one under way included. */
function lagsOf(world: World): ReadonlyMap<string | undefined, number> {
  const lags = new Map<string | undefined, number>();
  for (const { message } of world.deliveries.list()) {
    lags.set(message.queueName, (lags.get(message.queueName) ?? 0) + 1);
  }
  return lags;
}

const shown = (
  { name, parallelism, paused, createdAt, updatedAt }: QueueState,
  lags: ReadonlyMap<string | undefined, number>,
): QueueState & { readonly lag: number } => ({
  createdAt,
  updatedAt,
  name,
  parallelism,
  lag: lags.get(name) ?? 0,
  paused,
});
