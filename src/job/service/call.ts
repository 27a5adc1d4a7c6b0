/**
 * One call: at most one request, at most one answer, always an end.
 *
 *   connecting ─► sending ─► answer's headers ─► answer's body ─► answered
 *        └───────────┴──── failed (the socket) · ended (timeout, stopped, withheld, early)
 *
 * If it leaves this line before `answered`, the socket is reset and not used again. Once the headers are
 * there, the result is an answer, if need be with its body cut: the status alone is still proof.
 */
import type { Clock } from "../contracts/clock.ts";
import type { ServiceOperation } from "../contracts/events.ts";
import { onAbort } from "../contracts/on-abort.ts";
import type { MayRead } from "../contracts/service.ts";
import type { BatchBody } from "./batch-body-last-byte.ts";
import type { CallDeadlines, EndableCall } from "./call-deadlines.ts";
import { collectBytes, type CollectedBytes } from "./collect-bytes.ts";
import type { AnswerListener, ServiceConnection, ServiceConnections } from "./connection.ts";
import {
  headerOf,
  type HttpAnswer,
  type AnswerBody,
  type AnswerHeaders,
  type CallEnd,
} from "./http-answer.ts";
import type { SpareBuffers } from "./spare-buffers.ts";

export interface Call {
  readonly operation: ServiceOperation;
  readonly token: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: BatchBody | undefined;
  readonly maxAnswerBytes?: number | undefined;
  /** Called when an answer of success begins. False leaves it unread, like one that is too large. */
  readonly mayRead?: MayRead | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type CallResult =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  | { readonly kind: "ended"; readonly by: CallEnd }
  | { readonly kind: "failed"; readonly cause: unknown };

export interface CallTools {
  readonly connections: ServiceConnections;
  readonly spare: SpareBuffers;
  readonly clock: Clock;
  readonly timeoutsMs: Readonly<Record<ServiceOperation, number>>;
  readonly deadlines: Readonly<Record<ServiceOperation, CallDeadlines>>;
  readonly toHeaders: (token: string, hasBody: boolean) => Readonly<Record<string, string>>;
  readonly maxAnswerBytes: number;
  /** Called with every answer as soon as its headers are there; `receivedAt` is Unix ms. */
  readonly onHeaders: (headers: AnswerHeaders, receivedAt: number) => void;
}

/** Makes the call. Its answer's bytes are a spare buffer's: they may be read in `conclude` and not later. */
export async function makeCall<Value>(
  call: Call,
  tools: CallTools,
  conclude: (result: CallResult) => Value,
): Promise<Value> {
  const { operation, signal } = call;
  const deadlines = tools.deadlines[operation];
  const running = new RunningCall(call, tools);
  const stop = (): void => running.end("stopped");
  const leave = onAbort(signal, stop);
  try {
    if (signal?.aborted === true) stop();
    deadlines.add(running);
    running.begin();
    return conclude(await running.result);
  } finally {
    deadlines.delete(running);
    leave();
    running.release();
  }
}

const unread: AnswerBody = { kind: "too-large", bytes: 0 };

/** One object for the whole call: it is what the connection calls with the answer. */
class RunningCall implements EndableCall, AnswerListener {
  readonly result: Promise<CallResult>;
  readonly #call: Call;
  readonly #tools: CallTools;
  readonly #maxAnswerBytes: number;
  #resolve: (result: CallResult) => void = () => undefined;
  #connection: ServiceConnection | undefined;
  #head: Omit<HttpAnswer, "body"> | undefined;
  #bytes: CollectedBytes | undefined;
  #isOver = false;
  #isReusable = false;

  constructor(call: Call, tools: CallTools) {
    this.#call = call;
    this.#tools = tools;
    this.#maxAnswerBytes = Math.min(call.maxAnswerBytes ?? Infinity, tools.maxAnswerBytes);
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  begin(): void {
    if (this.#isOver) return;
    const { connections, timeoutsMs, toHeaders } = this.#tools;
    const connection = connections.acquire();
    const { operation, method, path, token, body } = this.#call;
    const headers = toHeaders(token, body !== undefined);
    const timeoutMs = timeoutsMs[operation];
    this.#connection = connection;
    if (body === undefined) {
      connection.send({ method, path, headers, timeoutMs }, this);
      return;
    }
    const bytes = body.bytes(connection.flushed, () => this.end("withheld"));
    const length = { "content-length": String(body.byteLength()) };
    connection.send({ method, path, headers: { ...headers, ...length }, timeoutMs, body: bytes }, this);
  }

  /** Ends the call; the first end stays. A failure after it is its consequence. */
  end(by: CallEnd): void {
    if (this.#isOver) return;
    this.#call.body?.stop();
    // The reset reports a failure, which comes too late to be the result.
    this.#finish(this.#answered({ kind: "cut", by }) ?? { kind: "ended", by });
    this.#connection?.reset();
  }

  onHeaders(status: number, headers: AnswerHeaders): void {
    if (this.#isOver) return;
    // Nothing is accepted before its last byte: this is the answer of another call, or a canned one.
    if (status < 300 && (this.#call.body?.sent() ?? "all") !== "all") return this.end("early");
    const receivedAt = this.#tools.clock.now();
    this.#head = { status, headers, receivedAt };
    this.#tools.onHeaders(headers, receivedAt);
    const said = headerOf(headers, "content-length");
    const saidBytes = said === undefined ? undefined : Number(said);
    if (status < 300 && this.#call.mayRead?.(saidBytes) === false) this.#finish(this.#answered(unread));
    else if ((saidBytes ?? 0) > this.#maxAnswerBytes) this.#finish(this.#answered(this.#tooLarge()));
    else this.#bytes = collectBytes(saidBytes ?? 0, this.#tools.spare);
  }

  onBytes(chunk: Uint8Array): void {
    const bytes = this.#bytes;
    if (this.#isOver || bytes === undefined) return;
    if (bytes.byteLength() + chunk.byteLength > this.#maxAnswerBytes) {
      this.#finish(this.#answered(this.#tooLarge()));
    } else {
      bytes.add(chunk);
    }
  }

  onEnd(): void {
    const bytes = this.#bytes;
    if (this.#isOver || bytes === undefined) return;
    const { body } = this.#call;
    this.#isReusable = body === undefined || body.sent() === "all";
    this.#finish(this.#answered({ kind: "whole", bytes: bytes.all() }));
  }

  onFailure(cause: unknown): void {
    if (this.#isOver) return;
    this.#finish(this.#answered({ kind: "cut", by: "failure", cause }) ?? { kind: "failed", cause });
  }

  release(): void {
    this.#bytes?.release();
    const connection = this.#connection;
    if (connection === undefined) return;
    if (this.#isReusable) this.#tools.connections.release(connection);
    else connection.reset();
  }

  #answered(body: AnswerBody): CallResult | undefined {
    const head = this.#head;
    return head === undefined ? undefined : { kind: "answered", answer: { ...head, body } };
  }

  #tooLarge(): AnswerBody {
    return { kind: "too-large", bytes: this.#maxAnswerBytes };
  }

  #finish(result: CallResult | undefined): void {
    if (result === undefined) return;
    this.#isOver = true;
    this.#resolve(result);
  }
}
