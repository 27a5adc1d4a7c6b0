import { EmulatorClock } from "../clock.ts";
import { parseGenerateOptions } from "../fill/generate-options.ts";
import {
  errorAnswer,
  json,
  readJson,
  statusOf,
  type HttpAnswer,
  type Exchange,
  type Reply,
} from "../http/exchange.ts";
import { findRoute } from "../http/routes.ts";
import { parseEndpoints } from "../http/json-body.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { resetEmulatorCore, type EmulatorCore } from "../emulator-core.ts";
import { accept, bodies } from "./bodies.ts";
import { found, refuseUnknownParameters, route, type ControlRoute } from "./control-route.ts";
import { indexRoutes } from "./index-routes.ts";
import { journalAnswer } from "./journal-answer.ts";
import { changeSettings, settingsAnswer } from "./settings-answer.ts";
import { longestWaitMs, naturalOf, within } from "./waits.ts";

const routes: readonly ControlRoute[] = [
  route("GET", "/faults", (core) => json(200, { faults: core.faults.list() })),
  route("POST", "/faults", (core, exchange) => json(201, { name: core.faults.add(readJson(exchange)) })),
  route("DELETE", "/faults", (core) => {
    for (const { name } of core.faults.list()) core.faults.remove(name);
    return json(200, {});
  }),
  route("GET", "/faults/{name}", (core, _, { name }) => {
    const fault = core.faults.list().find((listed) => listed.name === name);
    return fault === undefined ? found(false, "fault") : json(200, fault);
  }),
  route("DELETE", "/faults/{name}", (core, _, { name }) => found(core.faults.remove(name!), "fault")),
  route("POST", "/faults/{name}/release", (core, _, { name }) => found(core.faults.release(name!), "fault")),
  route("GET", "/settings", (core) => settingsAnswer(core.settings)),
  route("PATCH", "/settings", (core, exchange) => changeSettings(core.settings, readJson(exchange))),
  route("GET", "/journal", (core, exchange) => journalAnswer(core.journal, exchange), [
    "type",
    "messageId",
    "after",
    "limit",
    "wait",
  ]),
  route("GET", "/counts", (core) => json(200, core.journal.counts())),
  route("GET", "/state", (core) => json(200, stateOf(core))),
  route("GET", "/idle", idleAnswer, ["timeoutMs"]),
  route("POST", "/reset", async (core) => {
    await resetEmulatorCore(core);
    return json(200, {});
  }),
  route("GET", "/clock", (core) => json(200, { now: core.clock.now() })),
  route("POST", "/clock", (core, exchange) => moveClock(core, readJson(exchange))),
  route("PUT", "/token", (core, exchange) => {
    core.token = accept(bodies.token, readJson(exchange)).token;
    return json(200, {});
  }),
  route("GET", "/url-groups", (core) => json(200, { urlGroups: core.directory.urlGroups() })),
  route("PUT", "/url-groups/{name}", (core, exchange, { name }) =>
    json(200, core.directory.putUrlGroup(name!, parseEndpoints(readJson(exchange)))),
  ),
  route("DELETE", "/url-groups/{name}", (core, _, { name }) =>
    found(core.directory.removeUrlGroup(name!), "url group"),
  ),
  route("GET", "/queues", (core) => json(200, { queues: core.directory.queues() })),
  route("PUT", "/queues/{name}", (core, exchange, { name }) => {
    const { parallelism, paused } = accept(bodies.queue, readJson(exchange));
    return json(200, core.directory.putQueue(name!, parallelism, paused));
  }),
  route("DELETE", "/queues/{name}", (core, _, { name }) => found(core.directory.removeQueue(name!), "queue")),
  route("POST", "/dlq", (core, exchange) => {
    const { records } = accept(bodies.records, readJson(exchange));
    return json(201, { dlqIds: core.deadLetters.seed(records) });
  }),
  route("POST", "/dlq/generate", async (core, exchange) => {
    const options = parseGenerateOptions(readJson(exchange));
    return json(201, { generated: await core.filling.generate(options) });
  }),
  ...indexRoutes,
];

const stateOf = (core: EmulatorCore): Record<string, unknown> => ({
  now: core.clock.now(),
  pending: core.deliveries.pending,
  dlqSize: core.deadLetters.size,
  indexes: core.indexes.ids(),
});

/** Nothing may be pending any more; 504 where something still is when the time is over. */
async function idleAnswer(core: EmulatorCore, exchange: Exchange): Promise<HttpAnswer> {
  const timeoutMs = naturalOf(exchange, "timeoutMs", undefined, longestWaitMs);
  if (timeoutMs === undefined) await core.deliveries.idle();
  else if (!(await within(timeoutMs, () => core.deliveries.idle()))) {
    return errorAnswer(504, `not idle within ${timeoutMs} ms: ${core.deliveries.pending} pending`);
  }
  return json(200, stateOf(core));
}

function moveClock(core: EmulatorCore, payload: unknown): HttpAnswer {
  const move = accept(bodies.clock, payload);
  const now = core.clock.now();
  const to = "to" in move ? move.to : now + move.advanceMs;
  if (to < now) throw new EmulatorRefusal(400, `to: the clock moves forward only, and it is ${now} already`);
  if (to > EmulatorClock.latestMove)
    throw new EmulatorRefusal(400, "the clock can be moved up to the year 9998");
  core.clock.moveTo(to);
  return json(200, { now: core.clock.now() });
}

/** What steers the emulator and looks into it. It listens on loopback and asks for no token. */
export async function serveControlApi(core: EmulatorCore, exchange: Exchange): Promise<Reply> {
  const reply = await dispatch(core, exchange);
  // A reset leaves nothing in the journal, not even itself.
  if (exchange.method !== "GET" && exchange.path !== "/_control/reset") {
    const { method, path } = exchange;
    core.journal.add({ type: "control", method, path, status: statusOf(reply) });
  }
  return reply;
}

async function dispatch(core: EmulatorCore, exchange: Exchange): Promise<Reply> {
  try {
    const { route: chosen, params } = findRoute(routes, exchange);
    refuseUnknownParameters(exchange, chosen.parameters);
    return await chosen.control(core, exchange, params);
  } catch (error) {
    if (error instanceof EmulatorRefusal) return errorAnswer(error.status, error.message);
    throw error;
  }
}
