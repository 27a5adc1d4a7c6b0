import { EmulatorClock } from "../clock.ts";
import { parseGenerateOptions } from "../fill/generate-options.ts";
import {
  errorAnswer,
  json,
  readJson,
  statusOf,
  type Answer,
  type Exchange,
  type Reply,
} from "../http/exchange.ts";
import { findRoute } from "../http/routes.ts";
import { parseEndpoints } from "../publish/management.ts";
import { Refusal } from "../refusal.ts";
import { resetWorld, type World } from "../world.ts";
import { accept, bodies } from "./bodies.ts";
import { found, refuseUnknownParameters, route, type ControlRoute } from "./control-route.ts";
import { indexRoutes } from "./index-routes.ts";
import { journalAnswer } from "./journal-answer.ts";
import { changeSettings, settingsAnswer } from "./settings-answer.ts";
import { longestWaitMs, naturalOf, within } from "./waits.ts";

const routes: readonly ControlRoute[] = [
  route("GET", "/faults", (world) => json(200, { faults: world.faults.list() })),
  route("POST", "/faults", (world, exchange) => json(201, { name: world.faults.add(readJson(exchange)) })),
  route("DELETE", "/faults", (world) => {
    for (const { name } of world.faults.list()) world.faults.remove(name);
    return json(200, {});
  }),
  route("GET", "/faults/{name}", (world, _, { name }) => {
    const fault = world.faults.list().find((listed) => listed.name === name);
    return fault === undefined ? found(false, "fault") : json(200, fault);
  }),
  route("DELETE", "/faults/{name}", (world, _, { name }) => found(world.faults.remove(name!), "fault")),
  route("POST", "/faults/{name}/release", (world, _, { name }) =>
    found(world.faults.release(name!), "fault"),
  ),
  route("GET", "/settings", (world) => settingsAnswer(world.settings)),
  route("PATCH", "/settings", (world, exchange) => changeSettings(world.settings, readJson(exchange))),
  route("GET", "/journal", (world, exchange) => journalAnswer(world.journal, exchange), [
    "type",
    "messageId",
    "after",
    "limit",
    "wait",
  ]),
  route("GET", "/counts", (world) => json(200, world.journal.counts())),
  route("GET", "/state", (world) => json(200, stateOf(world))),
  route("GET", "/idle", idleAnswer, ["timeoutMs"]),
  route("POST", "/reset", async (world) => {
    await resetWorld(world);
    return json(200, {});
  }),
  route("GET", "/clock", (world) => json(200, { now: world.clock.now() })),
  route("POST", "/clock", (world, exchange) => moveClock(world, readJson(exchange))),
  route("PUT", "/token", (world, exchange) => {
    world.token = accept(bodies.token, readJson(exchange)).token;
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
  route("PUT", "/queues/{name}", (world, exchange, { name }) => {
    const { parallelism, paused } = accept(bodies.queue, readJson(exchange));
    return json(200, world.directory.putQueue(name!, parallelism, paused));
  }),
  route("DELETE", "/queues/{name}", (world, _, { name }) =>
    found(world.directory.removeQueue(name!), "queue"),
  ),
  route("POST", "/dlq", (world, exchange) => {
    const { records } = accept(bodies.records, readJson(exchange));
    return json(201, { dlqIds: world.deadLetters.seed(records) });
  }),
  route("POST", "/dlq/generate", async (world, exchange) => {
    const options = parseGenerateOptions(readJson(exchange));
    return json(201, { generated: await world.filling.generate(options) });
  }),
  ...indexRoutes,
];

const stateOf = (world: World): Record<string, unknown> => ({
  now: world.clock.now(),
  pending: world.deliveries.pending,
  dlqSize: world.deadLetters.size,
  indexes: world.indexes.ids(),
});

/** Nothing may be pending any more; 504 where something still is when the time is over. */
async function idleAnswer(world: World, exchange: Exchange): Promise<Answer> {
  const timeoutMs = naturalOf(exchange, "timeoutMs", undefined, longestWaitMs);
  if (timeoutMs === undefined) await world.deliveries.idle();
  else if (!(await within(timeoutMs, () => world.deliveries.idle()))) {
    return errorAnswer(504, `not idle within ${timeoutMs} ms: ${world.deliveries.pending} pending`);
  }
  return json(200, stateOf(world));
}

function moveClock(world: World, payload: unknown): Answer {
  const move = accept(bodies.clock, payload);
  const now = world.clock.now();
  const to = "to" in move ? move.to : now + move.advanceMs;
  if (to < now) throw new Refusal(400, `to: the clock moves forward only, and it is ${now} already`);
  if (to > EmulatorClock.latestMove) throw new Refusal(400, "the clock can be moved up to the year 9998");
  world.clock.moveTo(to);
  return json(200, { now: world.clock.now() });
}

/** What steers the emulator and looks into it. It listens on loopback and asks for no token. */
export async function serveControlApi(world: World, exchange: Exchange): Promise<Reply> {
  const reply = await dispatch(world, exchange);
  // A reset leaves nothing in the journal, not even itself.
  if (exchange.method !== "GET" && exchange.path !== "/_control/reset") {
    const { method, path } = exchange;
    world.journal.add({ type: "control", method, path, status: statusOf(reply) });
  }
  return reply;
}

async function dispatch(world: World, exchange: Exchange): Promise<Reply> {
  try {
    const { route: chosen, params } = findRoute(routes, exchange);
    refuseUnknownParameters(exchange, chosen.parameters);
    return await chosen.control(world, exchange, params);
  } catch (error) {
    if (error instanceof Refusal) return errorAnswer(error.status, error.message);
    throw error;
  }
}
