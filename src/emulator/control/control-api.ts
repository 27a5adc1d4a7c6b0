import { z } from "zod";
import type { FaultDefinition } from "../faults/fault.ts";
import { errorAnswer, json, readJson, type Answer, type Exchange, type Reply } from "../http/exchange.ts";
import { findRoute, type Params, type Route } from "../http/routes.ts";
import { accept, parseEndpoints } from "../publish/management.ts";
import { Refusal } from "../refusal.ts";
import { resetWorld, type World } from "../world.ts";
import { journalAnswer } from "./journal-answer.ts";

type Control = (world: World, exchange: Exchange, params: Params) => Answer | Promise<Answer>;

interface ControlRoute extends Route {
  readonly control: Control;
}

const route = (method: string, path: string, control: Control): ControlRoute => ({
  method,
  path: `/_control${path}`,
  control,
});

const found = (existed: boolean, what: string): Answer =>
  existed ? json(200, {}) : errorAnswer(404, `no such ${what}`);

const tokenBody = z.strictObject({ token: z.string().min(1) });
const clockBody = z.strictObject({ advanceMs: z.number().min(0) });
const queueBody = z.strictObject({ parallelism: z.number().int().min(1) });
const recordsBody = z.strictObject({ records: z.array(z.record(z.string(), z.unknown())) });
const valuesBody = z.record(z.string(), z.number());

const routes: readonly ControlRoute[] = [
  route("GET", "/faults", (world) => json(200, { faults: world.faults.list() })),
  route("POST", "/faults", (world, exchange) =>
    json(201, { name: world.faults.add(readJson(exchange) as FaultDefinition) }),
  ),
  route("DELETE", "/faults", (world) => {
    for (const { name } of world.faults.list()) world.faults.remove(name);
    return json(200, {});
  }),
  route("DELETE", "/faults/{name}", (world, _, { name }) => found(world.faults.remove(name!), "fault")),
  route("POST", "/faults/{name}/release", (world, _, { name }) =>
    found(world.faults.release(name!), "fault"),
  ),
  route("GET", "/journal", (world, exchange) => journalAnswer(world.journal, exchange.query)),
  route("GET", "/counts", (world) => json(200, world.journal.counts())),
  route("GET", "/state", (world) => json(200, stateOf(world))),
  route("GET", "/idle", async (world) => {
    await world.deliveries.idle();
    return json(200, stateOf(world));
  }),
  route("POST", "/reset", async (world) => {
    await resetWorld(world);
    return json(200, {});
  }),
  route("POST", "/clock", (world, exchange) => {
    world.clock.advance(accept(clockBody, readJson(exchange)).advanceMs);
    return json(200, { now: world.clock.now() });
  }),
  route("PUT", "/token", (world, exchange) => {
    world.token = accept(tokenBody, readJson(exchange)).token;
    return json(200, {});
  }),
  route("GET", "/url-groups", (world) => json(200, { urlGroups: world.directory.urlGroups() })),
  route("PUT", "/url-groups/{name}", (world, exchange, { name }) =>
    json(200, world.directory.putUrlGroup(name!, parseEndpoints(readJson(exchange)))),
  ),
  route("DELETE", "/url-groups/{name}", (world, _, { name }) =>
    found(world.directory.removeUrlGroup(name!), "url group"),
  ),
  route("GET", "/queues", (world) => json(200, { queues: world.directory.queues() })),
  route("PUT", "/queues/{name}", (world, exchange, { name }) =>
    json(200, world.directory.putQueue(name!, accept(queueBody, readJson(exchange)).parallelism)),
  ),
  route("POST", "/dlq", (world, exchange) => {
    const { records } = accept(recordsBody, readJson(exchange));
    return json(201, { dlqIds: world.deadLetters.seed(records) });
  }),
  route("PUT", "/indexes/{id}", (world, exchange, { id }) => {
    world.indexes.put(id!, accept(valuesBody, readJson(exchange)));
    return json(200, {});
  }),
  route("DELETE", "/indexes/{id}", (world, _, { id }) => found(world.indexes.remove(id!), "index")),
];

const stateOf = (world: World): Record<string, unknown> => ({
  now: world.clock.now(),
  pending: world.deliveries.pending,
  dlqSize: world.deadLetters.size,
  indexes: world.indexes.ids(),
});

/** What steers the emulator and looks into it. It listens on loopback and asks for no token. */
export async function serveControlApi(world: World, exchange: Exchange): Promise<Reply> {
  try {
    const { route, params } = findRoute(routes, exchange);
    return await route.control(world, exchange, params);
  } catch (error) {
    if (error instanceof Refusal) return errorAnswer(error.status, error.message);
    throw error;
  }
}
