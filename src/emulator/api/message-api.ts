import { createHash, timingSafeEqual } from "node:crypto";
import { applyFaults } from "../faults/apply-faults.ts";
import type { EmulatorCore } from "../emulator-core.ts";
import { errorFor, statusOf, type Exchange, type EmulatorAnswer, type Reply } from "../http/exchange.ts";
import { findRoute } from "../http/routes.ts";
import type { Operation } from "../journal.ts";
import type { Credentials } from "../options.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { groupAndQueueRoutes } from "./group-and-queue-routes.ts";
import { dlqRoutes } from "./dlq-routes.ts";
import { messageRoutes } from "./publish-and-service-routes.ts";

const routes = [...messageRoutes, ...dlqRoutes, ...groupAndQueueRoutes];

/** Answers one request to the service and writes it into the journal. */
export async function serveMessageApi(core: EmulatorCore, exchange: Exchange): Promise<Reply> {
  const startedAt = performance.now();
  const { operation, reply } = await dispatch(core, exchange);
  core.journal.add({
    type: "request",
    operation,
    method: exchange.method,
    path: exchange.path,
    query: exchange.rawQuery,
    status: statusOf(reply),
    durationMs: Math.round(performance.now() - startedAt),
  });
  return reply;
}

async function dispatch(
  core: EmulatorCore,
  exchange: Exchange,
): Promise<{ operation: Operation; reply: Reply }> {
  let operation: Operation = "manage";
  try {
    const { route, params } = findRoute(routes, exchange);
    operation = route.operation;
    if (!isAuthorized(core, operation, exchange)) throw new EmulatorRefusal(401, "unauthorized");
    const limited = core.rateLimits.admit(operation);
    if (limited !== undefined) return { operation, reply: limited };
    const perform = (): EmulatorAnswer =>
      refusalsAsAnswers(operation, () => route.perform(core, exchange, params));
    return { operation, reply: await applyFaults(core.faults, operation, () => core.clock.now(), perform) };
  } catch (error) {
    if (!(error instanceof EmulatorRefusal)) throw error;
    return { operation, reply: errorFor(operation, error.status, error.message) };
  }
}

function refusalsAsAnswers(operation: Operation, perform: () => EmulatorAnswer): EmulatorAnswer {
  try {
    return perform();
  } catch (error) {
    if (error instanceof EmulatorRefusal) return errorFor(operation, error.status, error.message);
    throw error;
  }
}

function isAuthorized(core: EmulatorCore, operation: Operation, exchange: Exchange): boolean {
  // One that was sent several times is joined with commas (RFC 9110 section 5.3).
  const authorization = exchange.headers["authorization"]?.join(", ");
  return operation === "statistics"
    ? isBasic(authorization, core.settings.statsCredentials)
    : isBearer(authorization, core.token);
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Constant time in the contents; hashing first makes the lengths equal. */
const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const isBearer = (authorization: string | undefined, token: string): boolean =>
  token !== "" && equal(schemeValue(authorization, "bearer"), token);

/** Only the one encoding counts, with its padding or without. A decoder would pass over what is no base64. */
function isBasic(authorization: string | undefined, { username, password }: Credentials): boolean {
  const padded = Buffer.from(`${username}:${password}`).toString("base64");
  const given = schemeValue(authorization, "basic");
  const isPadded = equal(given, padded);
  const isBare = equal(given, padded.replace(/=+$/, ""));
  return isPadded || isBare;
}

function schemeValue(authorization: string | undefined, scheme: string): string {
  const match = /^(\S+) +(\S+) *$/.exec(authorization ?? "");
  return match?.[1]?.toLowerCase() === scheme ? (match[2] ?? "") : "";
}
