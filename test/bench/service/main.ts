/**
 * The message service of the bench, as lean as its calls allow: what it costs must not hide what its callers
 * cost. Its one argument is a JSON text of ServiceOptions, and its parent asks it over the channel between
 * them. It reads the CPU of its callers itself, at the first call and when the queue is empty.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveCalls } from "../../rig/child-calls.ts";
import { readCpuMs } from "../stand/process-usage.ts";
import { createCallLimit } from "./call-limit.ts";
import { createDeadLetters } from "./dead-letters.ts";
import { createDeliveries } from "./deliveries.ts";
import { createRecords } from "./records.ts";
import type { BatchItem, Moment, Operation, ServiceFigures, ServiceOptions } from "./service-types.ts";

const options = JSON.parse(process.argv[2]!) as ServiceOptions;
const records = createRecords(options);
const deliveries = createDeliveries(records);
const deadLetters = createDeadLetters(records, options.order);
const limit = options.callsPerSecond === null ? null : createCallLimit(options.callsPerSecond);

const calls: Record<Operation, number> = { list: 0, batch: 0, delete: 0 };
let refused = 0;
let listed = 0;
let inFlight = 0;
let maxInFlight = 0;
let watched: readonly number[] = [];
const begun = createMoment();
const empty = createMoment();

interface Answer {
  readonly status: number;
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const [path, query = ""] = request.url!.split("?", 2);
  const operation = operationOf(request.method, path);
  if (operation === null) return { status: 404, body: '{"error":"not found"}' };
  calls[operation] += 1;
  begun.reach();
  if (operation === "batch") {
    const batch = JSON.parse(await readText(request)) as readonly BatchItem[];
    return { status: 200, body: `[${batch.map(deliveries.deliver).join(",")}]` };
  }
  const headers = limit?.refuse() ?? null;
  if (headers !== null) {
    refused += 1;
    return { status: 429, body: '{"error":"rate limit exceeded"}', headers };
  }
  const parameters = new URLSearchParams(query);
  return operation === "list" ? list(parameters) : remove(parameters);
}

function list(query: URLSearchParams): Answer {
  const { numbers, cursor } = deadLetters.list({
    fromDate: Number(query.get("fromDate") ?? 0),
    toDate: Number(query.get("toDate") ?? Number.MAX_SAFE_INTEGER - 1),
    count: Number(query.get("count") ?? 100),
    cursor: query.get("cursor") || null,
  });
  listed += numbers.length;
  return { status: 200, body: records.toPage(numbers, cursor) };
}

function remove(query: URLSearchParams): Answer {
  const ids = query.getAll("dlqIds");
  // The real service would delete everything.
  if (ids.length === 0) return { status: 400, body: '{"error":"a delete without ids"}' };
  const deleted = deadLetters.remove(ids.map(records.fromDlqId).filter((number) => number !== null));
  if (deadLetters.remaining() === 0) empty.reach();
  return { status: 200, body: `{"deleted":${deleted}}` };
}

function operationOf(method: string | undefined, path: string | undefined): Operation | null {
  if (path === "/v2/batch" && method === "POST") return "batch";
  if (path !== "/v2/dlq") return null;
  return method === "GET" ? "list" : method === "DELETE" ? "delete" : null;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  inFlight += 1;
  maxInFlight = Math.max(maxInFlight, inFlight);
  const { status, body, headers } = await answer(request);
  const send = (): void => {
    inFlight -= 1;
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
  };
  if (options.latencyMs === 0) send();
  else setTimeout(send, options.latencyMs);
}

function createMoment() {
  let moment: Moment | null = null;
  let resolve: (() => void) | undefined;
  const reached = new Promise<void>((resolved) => (resolve = resolved));
  return {
    reach(): void {
      if (moment !== null) return;
      moment = { at: performance.now(), cpuMs: [process.pid, ...watched].map(readCpuMs) };
      resolve?.();
    },
    get: () => moment,
    reached,
  };
}

const server = createServer((request, response) => {
  respond(request, response).catch(() => request.socket.destroy());
});
server.keepAliveTimeout = 65_000;
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveCalls(
    {
      watch(pids: readonly number[]): void {
        watched = pids;
      },
      untilBegun: () => begun.reached,
      untilEmpty: () => empty.reached,
      figures: (): ServiceFigures => ({
        calls: { ...calls },
        refused,
        listed,
        maxInFlight,
        ...deliveries.counts(),
        begun: begun.get(),
        empty: empty.get(),
      }),
    },
    { url: `http://127.0.0.1:${port}`, oldestAt: records.enteredAt(0) },
  );
});
process.once("disconnect", () => process.exit(0));
