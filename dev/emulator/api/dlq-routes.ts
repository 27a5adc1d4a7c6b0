import { fromTheStart, parseDlqQuery, type DlqOperation, type DlqQuery } from "../dlq/dlq-query.ts";
import { formatCursor } from "../dlq/dlq-ids-and-cursors.ts";
import { retryMany, retryOne } from "../dlq/retry-dead-letters.ts";
import type { EmulatorCore } from "../emulator-parts.ts";
import { json, jsonOf, type EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { route, type MessageRoute } from "./route.ts";

export const dlqRoutes: readonly MessageRoute[] = [
  route("list", "GET", "/v2/dlq", (core, exchange) =>
    listAnswer(core, queryOf(core, exchange, "list"), exchange.query.get("cursor")),
  ),
  route("delete", "DELETE", "/v2/dlq", (core, exchange) => {
    const query = queryOf(core, exchange, "delete");
    const lagMs = core.faults.draw("lagging-list", "delete")?.fault.forMs;
    return json(200, core.deadLetters.delete(query, lagMs));
  }),
  route("manage", "GET", "/v2/dlq/{dlqId}", (core, _exchange, { dlqId }) =>
    jsonOf(core.deadLetters.find(dlqId!), "dead letter"),
  ),
  route("manage", "DELETE", "/v2/dlq/{dlqId}", (core, _exchange, { dlqId }) => {
    const [removed] = core.deadLetters.remove([dlqId!]);
    return jsonOf(removed && {}, "dead letter");
  }),
  route("retry", "POST", "/v2/dlq/retry", (core, exchange) =>
    retryMany(core, exchange, queryOf(core, exchange, "retry")),
  ),
  route("retry", "POST", "/v2/dlq/retry/{dlqId}", (core, exchange, { dlqId }) =>
    retryOne(core, exchange, dlqId!),
  ),
];

const queryOf = (core: EmulatorCore, { query, body }: Exchange, operation: DlqOperation): DlqQuery =>
  parseDlqQuery(query, operation, body, core.settings);

const beforeEverything = (seq = 0): string => formatCursor({ ms: 0, seq });

/** One page. The records are sent as they are stored, byte by byte. */
function listAnswer(core: EmulatorCore, query: DlqQuery, requestedCursor: string | null): EmulatorAnswer {
  const repeats = requestedCursor && core.faults.draw("repeat-page", "list") !== undefined;
  const page = core.deadLetters.list(repeats ? { ...query, ...fromTheStart } : query);
  const arriving = core.faults.draw("arriving-records", "list");
  if (arriving !== undefined) core.deadLetters.seed(arriving.fault.records);
  const loops = core.faults.draw("looping-cursor", "list") !== undefined;
  const cursor = loops ? (requestedCursor ?? beforeEverything()) : (page.cursor ?? aroundAgain(core));
  const parts: Buffer[] = [];
  for (const { json } of page.records) parts.push(parts.length === 0 ? Buffer.alloc(0) : comma, json);
  const head = cursor === undefined ? "{" : `{"cursor":${JSON.stringify(cursor)},`;
  return {
    status: 200,
    body: Buffer.concat([Buffer.from(`${head}"messages":[`), ...parts, Buffer.from("]}")]),
  };
}

/** Behind the end comes the beginning, each time by another cursor. */
function aroundAgain({ faults }: EmulatorCore): string | undefined {
  const endless = faults.draw("endless-list", "list");
  return endless && beforeEverything(Math.floor(endless.between(1, 999_999_999)));
}

const comma = Buffer.from(",");
