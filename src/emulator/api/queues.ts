import { errorAnswer, json, readJson } from "../http/exchange.ts";
import type { QueueState } from "../publish/directory.ts";
import { parseQueue } from "../http/json-body.ts";
import type { EmulatorCore } from "../emulator-core.ts";
import { route, type MessageRoute } from "./route.ts";

export const queues: readonly MessageRoute[] = [
  route("manage", "POST", "/v2/queues", (core, exchange) => {
    const { queueName, parallelism, paused } = parseQueue(readJson(exchange));
    core.directory.putQueue(queueName, parallelism, paused);
    return json(200, {});
  }),
  route("manage", "GET", "/v2/queues", (core) => {
    const lags = lagsOf(core);
    return json(
      200,
      core.directory.queueStates().map((state) => shown(state, lags)),
    );
  }),
  route("manage", "GET", "/v2/queues/{name}", (core, _exchange, { name }) => {
    const state = core.directory.queueState(name!);
    return state === undefined ? errorAnswer(404, "queue not found") : json(200, shown(state, lagsOf(core)));
  }),
  route("manage", "DELETE", "/v2/queues/{name}", (core, _exchange, { name }) => {
    core.directory.removeQueue(name!);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/queues/{name}/pause", (core, _exchange, { name }) => {
    core.directory.putQueue(name!, undefined, true);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/queues/{name}/resume", (core, _exchange, { name }) => {
    core.directory.putQueue(name!, undefined, false);
    return json(200, {});
  }),
];

/** Messages of each queue that have not ended, the one under way included. */
function lagsOf(core: EmulatorCore): ReadonlyMap<string | undefined, number> {
  const lags = new Map<string | undefined, number>();
  for (const { message } of core.deliveries.list()) {
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
