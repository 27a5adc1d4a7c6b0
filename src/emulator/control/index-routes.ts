import { json, readJson } from "../http/exchange.ts";
import { backlogSchema, indexValuesSchema } from "../statistics/index-values.ts";
import { accept } from "./bodies.ts";
import { found, route, type ControlRoute } from "./control-route.ts";

/** The search indexes: which there are, what their statistics say, how their backlog goes on. */
export const indexRoutes: readonly ControlRoute[] = [
  route("GET", "/indexes", (core) => json(200, { indexes: core.indexes.ids() })),
  route("GET", "/indexes/{id}", (core, _, { id }) => {
    const index = core.indexes.find(id!);
    if (index === undefined) return found(false, "index");
    return json(200, { id, values: index.values, backlog: index.steered ?? null });
  }),
  route("PUT", "/indexes/{id}", (core, exchange, { id }) => {
    core.indexes.put(id!, accept(indexValuesSchema, readJson(exchange)));
    return json(200, {});
  }),
  route("DELETE", "/indexes/{id}", (core, _, { id }) => found(core.indexes.remove(id!), "index")),
  route("PUT", "/indexes/{id}/backlog", (core, exchange, { id }) => {
    const plan = accept(backlogSchema, readJson(exchange));
    return json(200, core.indexes.steer(id!, plan, core.clock.now()));
  }),
  route("DELETE", "/indexes/{id}/backlog", (core, _, { id }) =>
    found(core.indexes.unsteer(id!), "steered backlog"),
  ),
];
