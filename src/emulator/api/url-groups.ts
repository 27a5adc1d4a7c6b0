import { errorAnswer, json, readJson } from "../http/exchange.ts";
import type { UrlGroup } from "../publish/directory.ts";
import { parseEndpointKeys, parseEndpoints } from "../http/json-body.ts";
import { route, type MessageRoute } from "./route.ts";

export const urlGroups: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/topics", (core) => json(200, core.directory.urlGroups().map(shown))),
  route("manage", "GET", "/v2/topics/{name}", (core, _exchange, { name }) => {
    const group = core.directory.urlGroup(name!);
    return group === undefined ? errorAnswer(404, "url group not found") : json(200, shown(group));
  }),
  route("manage", "DELETE", "/v2/topics/{name}", (core, _exchange, { name }) => {
    core.directory.removeUrlGroup(name!);
    return json(200, {});
  }),
  route("manage", "POST", "/v2/topics/{name}/endpoints", (core, exchange, { name }) => {
    const known = core.directory.urlGroup(name!)?.endpoints ?? [];
    const added = parseEndpoints(readJson(exchange));
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
    const isRemoved = parseEndpointKeys(readJson(exchange));
    const group = core.directory.urlGroup(name!);
    if (group === undefined) return errorAnswer(404, "url group not found");
    const kept = group.endpoints.filter((endpoint) => !isRemoved(endpoint));
    // A group without endpoints goes. Source: the service's API reference, "Remove Endpoints".
    if (kept.length === 0) core.directory.removeUrlGroup(name!);
    else core.directory.putUrlGroup(name!, kept);
    return json(200, {});
  }),
];

const shown = ({ name, createdAt, updatedAt, endpoints }: UrlGroup): Omit<UrlGroup, "topicId"> => ({
  createdAt,
  updatedAt,
  name,
  endpoints,
});
