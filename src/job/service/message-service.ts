import { throughProxy } from "../../egress/connect-failure.ts";
import { isRedriverError, RedriverError } from "../contracts/errors.ts";
import type { EventOf, RequestOutcome, ServiceOperation } from "../contracts/events.ts";
import type { NamedLimit } from "../contracts/call-shares.ts";
import type {
  BatchOutcome,
  FlowKeySteerer,
  ItemOutcome,
  MessageService,
  ServiceLoadReader,
  ServiceRetrier,
} from "../contracts/service.ts";
import { dateOf, headerOf, parseJsonBody, serviceNowOf, type HttpAnswer } from "./http-answer.ts";
import {
  parseDeleted,
  parseFlowKeys,
  parseListPage,
  parseLoad,
  type Shaped,
} from "./list-and-delete-answers.ts";
import { createBatchBody } from "./batch-body-last-byte.ts";
import { outcomeOfBatch, toBatchOutcome, toItemOutcome } from "./batch-outcome.ts";
import { outcomeOfError, toSuccess, type CallContext, type ServiceSettings } from "./call-failure.ts";
import { makeCall, type Call, type CallTools } from "./call.ts";
import { createCallDeadlines } from "./call-deadlines.ts";
import { createConnection, createConnections, type ConnectionOptions } from "./connection.ts";
import { maxPerCall, toDeletePath, toListPath, toRetryPath } from "./request-paths.ts";
import { toErrorText } from "./error-text-filter.ts";
import { toShownMessageId } from "./sanitise-ids.ts";
import { createServiceClock } from "./service-clock.ts";
import { createSpareBuffers } from "./spare-buffers.ts";
import { createTooLargePace } from "./large-answer-pace.ts";
import { parseRetryMoment } from "../message/retry-after.ts";

/** `status` is absent if there was no HTTP answer. */
export type ServiceAnswer = Omit<EventOf<"service:answered">, "type" | "source">;

export interface MessageServiceOptions extends Omit<ConnectionOptions, "origin"> {
  /** As config/service-and-callback-urls.ts answers it: an origin, perhaps with a path, without trailing slash. */
  readonly baseUrl: string;
  readonly token: () => string;
  readonly settings: ServiceSettings;
  /** Of a whole call each. */
  readonly timeoutsMs: Readonly<Record<ServiceOperation, number>>;
  readonly onAnswer: (answer: ServiceAnswer) => void;
  readonly maxAnswerBytes: number;
  readonly onLimit?: (limit: NamedLimit) => void;
}

export type ClosableMessageService = MessageService &
  ServiceLoadReader &
  ServiceRetrier &
  FlowKeySteerer & {
    close(): Promise<void>;
  };

export function createMessageService(options: MessageServiceOptions): ClosableMessageService {
  const { clock, timeoutsMs, settings } = options;
  const { origin, host, pathname } = new URL(options.baseUrl);
  const prefix = pathname.replace(/\/$/, "");
  const spare = createSpareBuffers();
  const serviceClock = createServiceClock();
  const pace = createTooLargePace(clock);
  const connections = createConnections(() => createConnection({ ...options, origin }));
  const tools: CallTools = {
    connections,
    spare,
    clock,
    timeoutsMs,
    deadlines: {
      list: createCallDeadlines(timeoutsMs.list, clock),
      batch: createCallDeadlines(timeoutsMs.batch, clock),
      delete: createCallDeadlines(timeoutsMs.delete, clock),
    },
    toHeaders: createHeaders(),
    maxAnswerBytes: options.maxAnswerBytes,
    onHeaders(headers, receivedAt) {
      const date = dateOf({ headers, receivedAt });
      if (date !== null) serviceClock.note(date - receivedAt);
    },
  };
  const whereOf = (what: string): string => `${what} at ${host}`;
  const through = throughProxy(options.proxy ?? null);

  /** Throws `unauthorised` without a usable token. */
  const contextOf = (operation: ServiceOperation, what: string = operation): CallContext => {
    const whereDirect = whereOf(what);
    const timeout = `${timeoutsMs[operation]} ms (service.${operation}Timeout)`;
    const token = readToken(options.token, whereDirect, settings);
    return { where: whereDirect + through, whereDirect, token, timeout, settings };
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

  const ask = async <Value>(
    request: Omit<Call, "token">,
    parse: (bytes: Uint8Array, token: string) => Shaped<Value>,
    what?: string,
  ): Promise<Value> => {
    const { operation } = request;
    const startedAt = clock.monotonic();
    try {
      const context = contextOf(operation, what);
      return await makeCall({ ...request, token: context.token }, tools, (result) => {
        const limit = result.kind === "answered" ? readBurstLimit(result.answer) : null;
        if (limit !== null) options.onLimit?.(limit);
        if (result.kind === "answered" && result.answer.body.kind === "too-large") {
          pace.note(result.answer.body.bytes);
        }
        const { body, status } = toSuccess(result, context);
        const shaped = parse(body.bytes, context.token);
        if (shaped.kind === "value") {
          report(operation, "ok", startedAt, status);
          return shaped.value;
        }
        const { problem, isForeign = false } = shaped;
        throw new RedriverError("answer-unreadable", `${context.where}: ${problem}`, { status, isForeign });
      });
    } catch (error) {
      if (isRedriverError(error)) {
        const outcome = isCutByUs(request, error) ? "ok" : outcomeOfError(error.code);
        report(operation, outcome, startedAt, error.status);
      }
      throw error;
    }
  };

  const publishBody = async (
    body: ReturnType<typeof createBatchBody>,
    itemCount: number,
    signal?: AbortSignal,
  ): Promise<BatchOutcome> => {
    const startedAt = clock.monotonic();
    let context: CallContext;
    try {
      context = contextOf("batch");
    } catch (error) {
      report("batch", "not-sent", startedAt, undefined);
      return { kind: "not-sent", why: "connect", error: (error as RedriverError).message };
    }
    const { token } = context;
    const call = { operation: "batch", method: "POST", path: `${prefix}/v2/batch` } as const;
    return makeCall({ ...call, token, body, signal }, tools, (result) => {
      const outcome = toBatchOutcome(result, { ...context, itemCount, sent: body.sent() });
      const status = result.kind === "answered" ? result.answer.status : undefined;
      report("batch", outcomeOfBatch(outcome), startedAt, status);
      return outcome;
    });
  };

  /** Outside the interface; null: it is not there. Asked rarely, so in no turn, and its answer is no news. */
  const askBeside = async <Value>(
    what: string,
    method: "GET" | "POST",
    path: string,
    parse: (bytes: Uint8Array) => Shaped<Value>,
    signal?: AbortSignal,
  ): Promise<Value | null> => {
    const where = `${what} at ${host}`;
    const context = { ...contextOf("list"), where };
    const call = { operation: "list", method, path: `${prefix}/v2/${path}`, signal } as const;
    return makeCall({ ...call, token: context.token }, tools, (result) => {
      const status = result.kind === "answered" ? result.answer.status : undefined;
      if (status === 404 || status === 405 || status === 501) return null;
      const shaped = parse(toSuccess(result, context).body.bytes);
      if (shaped.kind === "value") return shaped.value;
      throw new RedriverError("answer-unreadable", `${where}: ${shaped.problem}`);
    });
  };

  /** A cut page is asked for again with fewer records; that is no fault of the service. */
  const isCutByUs = ({ maxAnswerBytes }: Pick<Call, "maxAnswerBytes">, { code }: RedriverError): boolean =>
    code === "answer-too-large" && maxAnswerBytes !== undefined && maxAnswerBytes < tools.maxAnswerBytes;

  return {
    async list(query, signal) {
      const waitMs = pace.waitMs();
      if (waitMs > 0) {
        const why =
          "its answers are larger than may be read (service.maxAnswerBytes), so it is asked more rarely";
        throw new RedriverError("service-resting", `${whereOf("list")}: ${why}`, {
          retryAt: clock.now() + waitMs,
        });
      }
      const { maxBytes: maxAnswerBytes, mayRead } = query;
      const path = toListPath(prefix, query);
      return ask({ operation: "list", method: "GET", path, maxAnswerBytes, mayRead, signal }, parseListPage);
    },

    // It does not wait, so that it does not keep the items until the answer.
    publish(encodedItems, lastByteAllowed, signal) {
      const itemCount = encodedItems.length;
      if (itemCount < 1 || itemCount > maxPerCall) {
        const message = `expected 1 to ${maxPerCall} items to publish, got ${itemCount}`;
        return Promise.reject(new RedriverError("invariant-broken", message));
      }
      return publishBody(createBatchBody(encodedItems, lastByteAllowed, spare), itemCount, signal);
    },

    async remove(dlqIds, signal) {
      const path = toDeletePath(prefix, dlqIds);
      return ask({ operation: "delete", method: "DELETE", path, signal }, (bytes) =>
        parseDeleted(bytes, dlqIds.length),
      );
    },

    async retry(dlqId, mayBeSent, signal) {
      const call = { operation: "delete", method: "POST", path: toRetryPath(prefix, dlqId), signal } as const;
      if (!mayBeSent()) throw new RedriverError("stopped", "too late, so not sent", { notSent: true });
      return ask(call, parseRetried, "retry");
    },

    load: async (signal) =>
      (await askBeside("deliveries", "GET", "globalParallelism", parseLoad, signal)) ?? { isAbsent: true },
    flowKeys: (signal) => askBeside("flow control", "GET", "flowControl", parseFlowKeys, signal),
    steer(key, to) {
      const path = `flowControl/${encodeURIComponent(key)}/${to}`;
      return askBeside("flow control", "POST", path, () => ({ kind: "value", value: true as const }));
    },

    clockOffsetMs: serviceClock.offsetMs,

    async close() {
      for (const some of Object.values(tools.deadlines)) some.close();
      await connections.close();
    },
  };
}

function parseRetried(bytes: Uint8Array, token: string): Shaped<ItemOutcome> {
  const toText = (text: string): string => toErrorText(text, token);
  const toId = (text: string) => toShownMessageId(text, token);
  return { kind: "value", value: toItemOutcome(parseJsonBody(bytes), toText, toId) };
}

const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  accept: "application/json",
  // Without it a server may compress as it likes (RFC 9110 12.5.3), and nothing here decompresses.
  "accept-encoding": "identity",
  "user-agent": "redriver",
});

function createHeaders() {
  let ofToken = "";
  let plain = headersOf(ofToken);
  let withBody = { ...plain, "content-type": "application/json" };
  return (token: string, hasBody: boolean): Readonly<Record<string, string>> => {
    if (token !== ofToken) {
      ofToken = token;
      plain = headersOf(token);
      withBody = { ...plain, "content-type": "application/json" };
    }
    return hasBody ? withBody : plain;
  };
}

function readToken(token: () => string, where: string, settings: ServiceSettings): string {
  const refused = (problem: string, cause?: unknown): RedriverError =>
    new RedriverError("unauthorised", `${where}: ${problem}; it is ${settings.token}`, { cause });
  let value: string;
  try {
    value = token();
  } catch (cause) {
    throw refused("the token could not be read", cause);
  }
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw refused("expected a token of visible ASCII characters, got none or others");
}

/** Within longer windows no call is worth waiting for its moment; a pause is enough. */
const maxWindowMs = 10_000;
/** Clocks that differ by less do not make a window longer. */
const clockSlackMs = 250;

/** Null: none is named. A window is as long as what is left of it, in whole seconds: nothing says it. */
function readBurstLimit(answer: Pick<HttpAnswer, "status" | "headers" | "receivedAt">): NamedLimit | null {
  const { status, headers } = answer;
  const said = headerOf(headers, "burst-ratelimit-limit");
  if (said === undefined) return null;
  const calls = Number(said);
  const now = serviceNowOf(answer);
  const resetAt = parseRetryMoment(headerOf(headers, "burst-ratelimit-reset") ?? "", now) ?? now + 1_000;
  const resetInMs = Math.max(0, resetAt - now);
  const windowMs = Math.max(1_000, Math.ceil((resetInMs - clockSlackMs) / 1_000) * 1_000);
  if (!Number.isSafeInteger(calls) || calls < 1 || windowMs > maxWindowMs) return null;
  return { calls, windowMs, resetInMs, isUsedUp: status === 429 };
}
