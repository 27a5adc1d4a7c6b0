import { z } from "zod";
import type { EmulatorCore } from "../emulator-parts.ts";
import { errorAnswer, json, jsonOf } from "../http/answers.ts";
import { accept } from "../check-input.ts";
import { readJson } from "../http/parse-body-and-query.ts";
import { endpointsSchema, queueSettings, type Queue, type UrlGroup } from "../publish/groups-and-queues.ts";
import { route, type MessageRoute } from "./route.ts";

const queueSchema = z.object({ queueName: z.string(), ...queueSettings });

/** Endpoints to be removed are named or given by URL; both together mean one that has both. */
const removedSchema = z.object({
  endpoints: z.array(
    z
      .object({ name: z.string().min(1).optional(), url: z.string().optional() })
      .refine(({ name, url }) => (name ?? url) !== undefined, "expected a name or a url"),
  ),
});

export const groupAndQueueRoutes: readonly MessageRoute[] = [
  route("manage", "POST", "/v2/queues", (core, exchange) => {
    const { queueName, parallelism, paused } = accept(queueSchema, readJson(exchange));
    core.directory.putQueue(queueName, parallelism, paused);
    return json(200, {});
  }),
  route("manage", "GET", "/v2/queues", (core) => json(200, shownQueues(core))),
  route("manage", "GET", "/v2/queues/{name}", (core, _exchange, { name }) =>
    jsonOf(
      shownQueues(core).find((queue) => queue.name === name),
      "queue",
    ),
  ),
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
  route("manage", "GET", "/v2/topics", (core) => json(200, core.directory.urlGroups().map(shownGroup))),
  route("manage", "GET", "/v2/topics/{name}", (core, _exchange, { name }) => {
    const group = core.directory.urlGroup(name!);
    return jsonOf(group && shownGroup(group), "url group");
  }),
  route("manage", "DELETE", "/v2/topics/{name}", (core, _exchange, { name }) => {
    core.directory.removeUrlGroup(name!);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/topics/{name}/endpoints", (core, exchange, { name }) => {
    const known = core.directory.urlGroup(name!)?.endpoints ?? [];
    const added = accept(endpointsSchema, readJson(exchange)).endpoints;
    const kept = known.filter(
      (endpoint) =>
        !added.some(
          ({ url, name: given }) => url === endpoint.url || (given !== undefined && given === endpoint.name),
        ),
    );
    core.directory.putUrlGroup(name!, [...kept, ...added]);
    return json(200, {});
  }),
  route("manage", "DELETE", "/v2/topics/{name}/endpoints", (core, exchange, { name }) => {
    const removed = accept(removedSchema, readJson(exchange)).endpoints;
    const group = core.directory.urlGroup(name!);
    if (group === undefined) return errorAnswer(404, "url group not found");
    const kept = group.endpoints.filter(
      (endpoint) =>
        !removed.some(
          ({ name, url }) =>
            (name ?? endpoint.name) === endpoint.name && (url ?? endpoint.url) === endpoint.url,
        ),
    );
    // A group without endpoints goes. Source: the service's API reference, "Remove Endpoints".
    if (kept.length === 0) core.directory.removeUrlGroup(name!);
    else core.directory.putUrlGroup(name!, kept);
    return json(200, {});
  }),
];

/** With the messages of each that have not ended, the one under way included. */
function shownQueues(core: EmulatorCore): (Queue & { readonly lag: number })[] {
  const lags = new Map<string | undefined, number>();
  for (const { message } of core.deliveries.list()) {
    lags.set(message.queueName, (lags.get(message.queueName) ?? 0) + 1);
  }
  return core.directory.queues().map((queue) => ({ ...queue, lag: lags.get(queue.name) ?? 0 }));
}

const shownGroup = (group: UrlGroup): Record<string, unknown> => ({ ...group, topicId: undefined });
