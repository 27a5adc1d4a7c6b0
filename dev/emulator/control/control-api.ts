import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { EmulatorClock } from "../clock.ts";
import { resetEmulatorCore, type EmulatorCore } from "../emulator-parts.ts";
import { parseGenerateOptions } from "../fill/generate-options.ts";
import { errorAnswer, json, statusOf, type EmulatorAnswer, type Reply } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { accept } from "../check-input.ts";
import { readJson, naturalOf, refuseParameters } from "../http/parse-body-and-query.ts";
import { findRoute, toRoute, type Params, type Route } from "../http/routes.ts";
import { adjust, adjustableOf, adjustmentSchema } from "../options.ts";
import { endpointsSchema, queueSettings, type Queue } from "../publish/groups-and-queues.ts";
import { recordsSchema, textsSchema } from "../dlq/seeded-record.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { backlogSchema, indexValuesSchema } from "../statistics/index-statistics-answer.ts";
import { journalAnswer, maxWaitMs } from "./journal-answer.ts";

type Control = (
  core: EmulatorCore,
  exchange: Exchange,
  params: Params,
) => EmulatorAnswer | Promise<EmulatorAnswer>;

interface ControlRoute extends Route {
  readonly control: Control;
  /** The query parameters it knows. A misspelt one would otherwise make an assertion that always passes. */
  readonly parameters: readonly string[];
}

const route = (
  method: string,
  path: string,
  control: Control,
  parameters: readonly string[] = [],
): ControlRoute => ({ ...toRoute(method, `/_control${path}`), control, parameters });

const found = (existed: boolean, what: string): EmulatorAnswer =>
  existed ? json(200, {}) : errorAnswer(404, `no such ${what}`);

// What it is sent. A field that it does not know is refused: it would be a mistake that shows nowhere else.
const tokenSchema = z.strictObject({
  token: z.string().regex(/^[\x21-\x7e]+$/, "expected printable ASCII without spaces"),
});
const clockSchema = z.union([
  z.strictObject({ advanceMs: z.number().int().min(0) }),
  z.strictObject({ to: z.number().int().min(0) }),
]);
const queueSchema = z.strictObject(queueSettings);

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
  route("GET", "/settings", (core) => json(200, adjustableOf(core.settings))),
  route("PATCH", "/settings", (core, exchange) => {
    adjust(core.settings, accept(adjustmentSchema, readJson(exchange)));
    return json(200, adjustableOf(core.settings));
  }),
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
    core.token = accept(tokenSchema, readJson(exchange)).token;
    return json(200, {});
  }),
  route("GET", "/url-groups", (core) => json(200, { urlGroups: core.directory.urlGroups() })),
  route("PUT", "/url-groups/{name}", (core, exchange, { name }) =>
    json(200, core.directory.putUrlGroup(name!, accept(endpointsSchema, readJson(exchange)).endpoints)),
  ),
  route("DELETE", "/url-groups/{name}", (core, _, { name }) =>
    found(core.directory.removeUrlGroup(name!), "url group"),
  ),
  route("GET", "/queues", (core) => json(200, { queues: core.directory.queues().map(shownQueue) })),
  route("PUT", "/queues/{name}", (core, exchange, { name }) => {
    const { parallelism, paused } = accept(queueSchema, readJson(exchange));
    return json(200, shownQueue(core.directory.putQueue(name!, parallelism, paused)));
  }),
  route("DELETE", "/queues/{name}", (core, _, { name }) => found(core.directory.removeQueue(name!), "queue")),
  route("POST", "/dlq", (core, exchange) => {
    const { records } = accept(recordsSchema, readJson(exchange));
    return json(201, { dlqIds: core.deadLetters.seed(records) });
  }),
  route("POST", "/dlq/texts", (core, exchange) => {
    const { texts } = accept(textsSchema, readJson(exchange));
    return json(201, { dlqIds: core.deadLetters.seedTexts(texts) });
  }),
  route("POST", "/dlq/generate", async (core, exchange) => {
    const options = parseGenerateOptions(readJson(exchange));
    return json(201, { generated: await core.filler.generate(options) });
  }),
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

const shownQueue = ({ name, parallelism, paused }: Queue): Partial<Queue> => ({ name, parallelism, paused });

const stateOf = (core: EmulatorCore): Record<string, unknown> => ({
  now: core.clock.now(),
  pending: core.deliveries.pending,
  dlqSize: core.deadLetters.size,
  indexes: core.indexes.ids(),
});

/** Nothing may be pending any more; 504 where something still is when the time is over. */
async function idleAnswer(core: EmulatorCore, exchange: Exchange): Promise<EmulatorAnswer> {
  const timeoutMs = naturalOf(exchange.query, "timeoutMs", undefined, maxWaitMs);
  const isIdle = core.deliveries.idle().then(() => true);
  if (timeoutMs === undefined) await isIdle;
  else if (!(await Promise.race([isIdle, setTimeout(timeoutMs, false, { ref: false })]))) {
    return errorAnswer(504, `not idle within ${timeoutMs} ms: ${core.deliveries.pending} pending`);
  }
  return json(200, stateOf(core));
}

function moveClock(core: EmulatorCore, payload: unknown): EmulatorAnswer {
  const move = accept(clockSchema, payload);
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
    refuseParameters(exchange.query, chosen.parameters, []);
    return await chosen.control(core, exchange, params);
  } catch (error) {
    if (error instanceof EmulatorRefusal) return errorAnswer(error.status, error.message);
    throw error;
  }
}
