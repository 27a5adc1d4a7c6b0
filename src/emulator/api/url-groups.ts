import { errorAnswer, json, readJson } from "../http/exchange.ts";
import type { UrlGroup } from "../publish/directory.ts";
import { parseEndpointKeys, parseEndpoints } from "../publish/management.ts";
import { route, type MessageRoute } from "./route.ts";

export const urlGroups: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/topics", (world) => json(200, world.directory.urlGroups().map(shown))),
  route("manage", "GET", "/v2/topics/{name}", (world, _exchange, { name }) => {
    const group = world.directory.urlGroup(name!);
    return group === undefined ? errorAnswer(404, "url group not found") : json(200, shown(group));
  }),
  route("manage", "DELETE", "/v2/topics/{name}", (world, _exchange, { name }) => {
    world.directory.removeUrlGroup(name!);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/topics/{name}/endpoints", (world, exchange, { name }) => {
    const known = world.directory.urlGroup(name!)?.endpoints ?? [];
    const added = parseEndpoints(readJson(exchange));
    const kept = known.filter(
      (endpoint) =>
        !added.some(
          ({ url, name: given }) => url === endpoint.url || (given !== undefined && given === endpoint.name),
        ),
    );
    world.directory.putUrlGroup(name!, [...kept, ...added]);
    return json(200, {});
  }),
  route("manage", "DELETE", "/v2/topics/{name}/endpoints", (world, exchange, { name }) => {
    const isRemoved = parseEndpointKeys(readJson(exchange));
    const group = world.directory.urlGroup(name!);
    if (group === undefined) return errorAnswer(404, "url group not found");
    const kept = group.endpoints.filter((endpoint) => !isRemoved(endpoint));
    // A group without endpoints goes. Source: the service's API reference, "Remove Endpoints".
    if (kept.length === 0) world.directory.removeUrlGroup(name!);
    else world.directory.putUrlGroup(name!, kept);
    return json(200, {});
  }),
];

const shown = ({ name, createdAt, updatedAt, endpoints }: UrlGroup): Omit<UrlGroup, "topicId"> => ({
  createdAt,
  updatedAt,
  name,
  endpoints,
});
