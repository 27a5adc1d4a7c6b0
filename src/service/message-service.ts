import type { DlqId } from "../message/dead-letter.ts";
import type { Clock } from "../ports/clock.ts";
import { isRedriverError, RedriverError } from "../ports/errors.ts";
import type { RequestOutcome, ServiceOperation } from "../ports/events.ts";
import type { BatchOutcome, ListPage, ListQuery, MayRead, MessageService } from "../ports/service.ts";
import { dateOf } from "./answer.ts";
import { parseDeleted, parseListPage, type Shaped } from "./answer-shapes.ts";
import { parseBaseUrl } from "./base-url.ts";
import { createBatchBody, type BatchBody } from "./batch-body.ts";
import { toBatchOutcome } from "./batch-outcome.ts";
import { toSuccess, unreadable, type CallContext, type ServiceSettings } from "./call-failure.ts";
import { makeCall, type CallResult, type CallTools } from "./call.ts";
import { createConnection } from "./connection.ts";
import { createConnections } from "./connections.ts";
import { outcomeOfBatch, outcomeOfError } from "./request-outcome.ts";
import { maxPerCall, toBatchPath, toDeletePath, toListPath } from "./requests.ts";
import { createServiceClock } from "./service-clock.ts";
import { createTooLargePace } from "./too-large-pace.ts";

export interface ServiceTimeouts {
  /** Timeouts of a whole call each, the wait for a free connection included. */
  readonly listMs: number;
  readonly batchMs: number;
  readonly deleteMs: number;
  /** For name lookup, TCP and TLS of one connection. */
  readonly connectMs: number;
}

export interface ServiceAnswer {
  readonly operation: ServiceOperation;
  readonly outcome: RequestOutcome;
  readonly durationMs: number;
  /** Absent if there was no HTTP answer. */
  readonly status?: number;
}

export interface MessageServiceOptions {
  /** In the form of parseBaseUrl's input. */
  readonly baseUrl: string;
  /** Called before every request. */
  readonly token: () => string;
  readonly settings: ServiceSettings;
  readonly timeouts: ServiceTimeouts;
  readonly clock: Clock;
  /** Called once for every call, when it has ended. */
  readonly onAnswer: (answer: ServiceAnswer) => void;
  readonly maxAnswerBytes: number;
  /** Calls beyond this wait, within their timeout. Default 16. */
  readonly maxConnections?: number;
  /** PEM of certificate authorities to trust instead of the built-in ones. */
  readonly ca?: string;
}

export type ClosableMessageService = MessageService & {
  /** Stops what is running and closes all connections; later calls end as stopped. */
  close(): Promise<void>;
};

interface Request {
  readonly operation: ServiceOperation;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly timeoutMs: number;
  readonly maxAnswerBytes?: number | undefined;
  readonly mayRead?: MayRead | undefined;
  readonly body?: BatchBody;
  readonly signal: AbortSignal | undefined;
}

/** The setting that changes each operation's timeout. */
const timeoutSettings = {
  list: "service.listTimeout",
  batch: "service.batchTimeout",
  delete: "service.deleteTimeout",
} as const satisfies Record<ServiceOperation, string>;

const defaultMaxConnections = 16;

/** The HTTP client of one source. Throws `settings-invalid` if the address cannot be used. */
export function createMessageService(options: MessageServiceOptions): ClosableMessageService {
  const { clock, timeouts, settings } = options;
  const base = toBase(options.baseUrl);
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const serviceClock = createServiceClock();
  const pace = createTooLargePace(clock);
  const connections = createConnections(options.maxConnections ?? defaultMaxConnections, () =>
    createConnection({
      origin: base.origin,
      clock,
      connectTimeoutMs: timeouts.connectMs,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
  );
  const tools: CallTools = {
    connections,
    clock,
    maxAnswerBytes: options.maxAnswerBytes,
    onHeaders(headers, receivedAt) {
      const date = dateOf(headers);
      if (date !== null) serviceClock.note(date - receivedAt);
    },
  };
  const whereOf = (operation: ServiceOperation): string => `${operation} at ${base.host}`;

  const send = async (request: Request, token: string): Promise<CallResult> => {
    const { method, path, timeoutMs, maxAnswerBytes, mayRead, body, signal } = request;
    const calling = makeCall(
      {
        method,
        path,
        headers: toHeaders(token, body !== undefined),
        timeoutMs,
        signals: signal === undefined ? [closing.signal] : [closing.signal, signal],
        ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes }),
        ...(mayRead === undefined ? {} : { mayRead }),
        ...(body === undefined ? {} : { body }),
      },
      tools,
    );
    running.add(calling);
    return calling.finally(() => running.delete(calling));
  };

  const report = (
    operation: ServiceOperation,
    outcome: RequestOutcome,
    startedAt: number,
    status: number | undefined,
  ): void => {
    const durationMs = clock.monotonic() - startedAt;
    try {
      options.onAnswer({ operation, outcome, durationMs, ...(status === undefined ? {} : { status }) });
    } catch {
      // A failing observer must not cost the outcome of a publish.
    }
  };

  const refuseInVain = (): void => {
    const waitMs = pace.waitMs();
    if (waitMs === 0) return;
    throw new RedriverError(
      "service-resting",
      `${whereOf("list")}: its answers are larger than may be read (service.maxAnswerBytes), so it is asked more rarely`,
      { retryAt: clock.now() + waitMs },
    );
  };

  const ask = async <Value>(
    request: Request,
    parse: (bytes: Uint8Array, token: string) => Shaped<Value>,
  ): Promise<Value> => {
    const { operation, timeoutMs } = request;
    const startedAt = clock.monotonic();
    try {
      const where = whereOf(operation);
      const token = readToken(options.token, where, settings);
      const context: CallContext = { where, token, timeout: timeoutOf(operation, timeoutMs), settings };
      const result = await send(request, token);
      if (result.kind === "answered" && result.answer.body.kind === "too-large") {
        pace.note(result.answer.body.bytes);
      }
      const answer = toSuccess(result, context);
      const shaped = parse(answer.body.bytes, token);
      if (shaped.kind === "problem") {
        throw unreadable(context, answer.status, shaped.problem, shaped.isForeign);
      }
      report(operation, "ok", startedAt, answer.status);
      return shaped.value;
    } catch (error) {
      if (isRedriverError(error)) {
        const outcome = isCutByUs(request, error) ? "ok" : outcomeOfError(error.code);
        report(operation, outcome, startedAt, error.status);
      }
      throw error;
    }
  };

  /** A cut page is asked for again with fewer records; that is no fault of the service. */
  const isCutByUs = ({ maxAnswerBytes }: Request, { code }: RedriverError): boolean =>
    code === "answer-too-large" && maxAnswerBytes !== undefined && maxAnswerBytes < tools.maxAnswerBytes;

  return {
    async list(query: ListQuery, signal?: AbortSignal): Promise<ListPage> {
      refuseInVain();
      const path = toListPath(base.prefix, query);
      const { maxBytes: maxAnswerBytes, mayRead } = query;
      const timeoutMs = timeouts.listMs;
      return ask(
        { operation: "list", method: "GET", path, timeoutMs, maxAnswerBytes, mayRead, signal },
        (bytes, token) => withLength(parseListPage(bytes, token), bytes),
      );
    },

    async publish(encodedItems, lastByteAllowed, signal): Promise<BatchOutcome> {
      if (encodedItems.length < 1 || encodedItems.length > maxPerCall) {
        const got = encodedItems.length;
        throw new RedriverError(
          "invariant-broken",
          `expected 1 to ${maxPerCall} items to publish, got ${got}`,
        );
      }
      const startedAt = clock.monotonic();
      const where = whereOf("batch");
      let token: string;
      try {
        token = readToken(options.token, where, settings);
      } catch (error) {
        report("batch", "not-sent", startedAt, undefined);
        return { kind: "not-sent", why: "connect", error: (error as RedriverError).message };
      }
      const body = createBatchBody(encodedItems, lastByteAllowed);
      const path = toBatchPath(base.prefix);
      const timeoutMs = timeouts.batchMs;
      const result = await send({ operation: "batch", method: "POST", path, timeoutMs, body, signal }, token);
      const itemCount = encodedItems.length;
      const outcome = toBatchOutcome(result, {
        where,
        token,
        itemCount,
        sent: body.sent(),
        timeout: timeoutOf("batch", timeoutMs),
        settings,
      });
      report(
        "batch",
        outcomeOfBatch(outcome),
        startedAt,
        result.kind === "answered" ? result.answer.status : undefined,
      );
      return outcome;
    },

    async remove(dlqIds: readonly [DlqId, ...DlqId[]], signal?: AbortSignal) {
      const path = toDeletePath(base.prefix, dlqIds);
      return ask(
        { operation: "delete", method: "DELETE", path, timeoutMs: timeouts.deleteMs, signal },
        (bytes) => parseDeleted(bytes, dlqIds.length),
      );
    },

    clockOffsetMs: (of = "careful") => (of === "careful" ? serviceClock.offsetMs() : serviceClock.agreedMs()),

    async close() {
      closing.abort();
      await Promise.allSettled(running);
      await connections.close();
    },
  };
}

function withLength(shaped: Shaped<ListPage>, { byteLength }: Uint8Array): Shaped<ListPage> {
  if (shaped.kind === "problem") return shaped;
  return { kind: "value", value: { ...shaped.value, bytes: byteLength } };
}

function timeoutOf(operation: ServiceOperation, timeoutMs: number): string {
  return `${timeoutMs} ms (${timeoutSettings[operation]})`;
}

function toBase(text: string): { readonly origin: string; readonly host: string; readonly prefix: string } {
  const parsed = parseBaseUrl(text);
  if (parsed.kind === "problem")
    throw new RedriverError("settings-invalid", `service.url: ${parsed.problem}`);
  const { origin, host, pathname } = new URL(parsed.url);
  return { origin, host, prefix: pathname === "/" ? "" : pathname };
}

// Without Accept-Encoding a server may compress as it likes (RFC 9110 12.5.3), and nothing here decompresses.
function toHeaders(token: string, hasBody: boolean): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "redriver",
    ...(hasBody ? { "content-type": "application/json" } : {}),
  };
}

function readToken(token: () => string, where: string, settings: ServiceSettings): string {
  let value: string;
  try {
    value = token();
  } catch (cause) {
    throw new RedriverError(
      "unauthorised",
      `${where}: the token could not be read; it is ${settings.token}`,
      { cause },
    );
  }
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  const problem = `expected a token of visible ASCII characters, got none or others; it is ${settings.token}`;
  throw new RedriverError("unauthorised", `${where}: ${problem}`);
}
