import { json, readJson } from "../http/exchange.ts";
import { backlogSchema, indexValuesSchema } from "../statistics/index-values.ts";
import { accept } from "./bodies.ts";
import { found, route, type ControlRoute } from "./control-route.ts";

/** The search indexes: which there are, what their statistics say, how their backlog goes on. */
export const indexRoutes: readonly ControlRoute[] = [
  route("GET", "/indexes", (world) => json(200, { indexes: world.indexes.ids() })),
  route("GET", "/indexes/{id}", (world, _, { id }) => {
    const index = world.indexes.find(id!);
    if (index === undefined) return found(false, "index");
    return json(200, { id, values: index.values, backlog: index.steered ?? null });
  }),
  route("PUT", "/indexes/{id}", (world, exchange, { id }) => {
    world.indexes.put(id!, accept(indexValuesSchema, readJson(exchange)));
    return json(200, {});
  }),
  route("DELETE", "/indexes/{id}", (world, _, { id }) => found(world.indexes.remove(id!), "index")),
  route("PUT", "/indexes/{id}/backlog", (world, exchange, { id }) => {
    const plan = accept(backlogSchema, readJson(exchange));
    return json(200, world.indexes.steer(id!, plan, world.clock.now()));
  }),
  route("DELETE", "/indexes/{id}/backlog", (world, _, { id }) =>
    found(world.indexes.unsteer(id!), "steered backlog"),
  ),
];
