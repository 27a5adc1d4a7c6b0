/**
 * One call: at most one request, at most one answer, always an end.
 *
 *   waiting for a connection ─► connecting ─► sending ─► answer's headers ─► answer's body ─► answered
 *        └──────────────┴───────────┴──── failed (the socket) · ended (timeout, stopped, withheld)
 *
 * If it leaves this line before `answered`, the socket is reset and not used again. Once the headers are
 * there, the result is an answer, if need be with its body cut: the status alone is still proof.
 */
import { setMaxListeners } from "node:events";
import type { Clock } from "../ports/clock.ts";
import type { MayRead } from "../ports/service.ts";
import {
  headerOf,
  type HttpAnswer,
  type AnswerBody,
  type AnswerHeaders,
  type CallEnd,
} from "./http-answer.ts";
import type { BatchBody } from "./batch-body-last-byte.ts";
import type { ServiceConnection, Incoming, Outgoing } from "./connection.ts";
import type { ServiceConnections } from "./connection-pool.ts";

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BatchBody | undefined;
  /** From the first wait to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Lowers the limit of every call for the bytes of an answer's body. */
  readonly maxAnswerBytes?: number | undefined;
  /** Called when an answer of success begins. False leaves it unread, like one that is too large. */
  readonly mayRead?: MayRead | undefined;
  readonly signals: readonly AbortSignal[];
}

export type CallResult =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  | { readonly kind: "ended"; readonly by: CallEnd }
  | { readonly kind: "failed"; readonly cause: unknown };

export interface CallTools {
  readonly connections: ServiceConnections;
  readonly clock: Clock;
  readonly maxAnswerBytes: number;
  /** Called with every answer as soon as its headers are there; `receivedAt` is Unix ms. */
  readonly onHeaders: (headers: AnswerHeaders, receivedAt: number) => void;
}

type Raced<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "failed"; readonly cause: unknown }
  | { readonly kind: "ended"; readonly by: CallEnd };

export async function makeCall(call: Call, tools: CallTools): Promise<CallResult> {
  const ending = watchForEnd(call, tools.clock);
  let connection: ServiceConnection | undefined;
  let reusable = false;
  const maxAnswerBytes = Math.min(call.maxAnswerBytes ?? Infinity, tools.maxAnswerBytes);
  try {
    connection = await tools.connections.acquire(ending.signal);
    if (connection === undefined) return { kind: "ended", by: ending.by() ?? "stopped" };
    ending.onEnd(() => connection?.reset());
    const incoming = await ending.race(connection.send(toOutgoing(call, connection, ending)));
    if (incoming.kind !== "done") return incoming;
    const receivedAt = tools.clock.now();
    const { status, headers } = incoming.value;
    tools.onHeaders(headers, receivedAt);
    const mayRead = status >= 300 || (call.mayRead?.(saidBytesOf(headers)) ?? true);
    const body = mayRead ? await readBody(incoming.value, maxAnswerBytes, ending) : unread;
    reusable = body.kind === "whole" && (call.body === undefined || call.body.sent() === "all");
    return { kind: "answered", answer: { status, headers, receivedAt, body } };
  } finally {
    ending.release();
    if (connection !== undefined && reusable) tools.connections.release(connection);
    else if (connection !== undefined) tools.connections.discard(connection);
  }
}

function toOutgoing(call: Call, { flushed }: ServiceConnection, { end }: EndWatch): Outgoing {
  const { method, path, headers, timeoutMs, body } = call;
  if (body === undefined) return { method, path, headers, timeoutMs };
  const length = { "content-length": String(body.byteLength) };
  const bytes = body.bytes(flushed, () => end("withheld"));
  return { method, path, headers: { ...headers, ...length }, timeoutMs, body: bytes };
}

const unread: AnswerBody = { kind: "too-large", bytes: 0 };
const minGrowth = 65_536;

function saidBytesOf(headers: Incoming["headers"]): number | undefined {
  const said = headerOf(headers, "content-length");
  return said === undefined ? undefined : Number(said);
}

async function readBody(incoming: Incoming, maxBytes: number, { race }: EndWatch): Promise<AnswerBody> {
  // An answer that announces too great a length is not read.
  const tooLarge = { kind: "too-large", bytes: maxBytes } as const;
  const saidBytes = saidBytesOf(incoming.headers) ?? 0;
  if (saidBytes > maxBytes) return tooLarge;
  const kept = keepBytes(saidBytes);
  const reading = async (): Promise<boolean> => {
    for await (const chunk of incoming.body) {
      if (kept.byteLength() + chunk.byteLength > maxBytes) return false;
      kept.add(chunk);
    }
    return true;
  };
  const read = await race(reading());
  switch (read.kind) {
    case "done":
      return read.value ? { kind: "whole", bytes: kept.all() } : tooLarge;
    case "failed":
      return { kind: "cut", by: "failure", cause: read.cause };
    case "ended":
      return { kind: "cut", by: read.by };
  }
}

/** Grows by doubling from the announced length, so that the body is never in memory twice. */
function keepBytes(expected: number) {
  let bytes = Buffer.allocUnsafeSlow(Number.isSafeInteger(expected) ? expected : 0);
  let length = 0;
  return {
    byteLength: () => length,
    add(chunk: Uint8Array): void {
      if (length + chunk.byteLength > bytes.byteLength) {
        const larger = Buffer.allocUnsafeSlow(Math.max(minGrowth, 2 * length, length + chunk.byteLength));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      bytes.set(chunk, length);
      length += chunk.byteLength;
    },
    all: (): Uint8Array => bytes.subarray(0, length),
  };
}

type EndWatch = ReturnType<typeof watchForEnd>;

function watchForEnd(call: Call, clock: Clock) {
  const controller = new AbortController();
  const deadline = new AbortController();
  const actions: (() => void)[] = [];
  let endedBy: CallEnd | undefined;
  const ended = new Promise<CallEnd>((resolve) => {
    controller.signal.addEventListener("abort", () => resolve(endedBy ?? "stopped"), { once: true });
  });
  const end = (by: CallEnd): void => {
    if (endedBy !== undefined) return;
    endedBy = by;
    call.body?.stop();
    for (const action of actions) action();
    controller.abort();
  };
  const stop = (): void => end("stopped");
  for (const signal of call.signals) {
    if (signal.aborted) stop();
    else {
      // A page's calls at once share its signal. Each removes its listener, so their number is no leak.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", stop, { once: true });
    }
  }
  clock.sleep(call.timeoutMs, deadline.signal).then(
    () => end("timeout"),
    () => undefined,
  );
  return {
    /** Aborts when the call has ended. */
    signal: controller.signal,
    by: () => endedBy,
    /** Ends the call; the first end stays. */
    end,
    /** Runs at the end, before anything that waits learns about it. */
    onEnd(action: () => void): void {
      if (endedBy === undefined) actions.push(action);
      else action();
    },
    async race<Value>(work: Promise<Value>): Promise<Raced<Value>> {
      const raced = await Promise.race([
        work.then(
          (value): Raced<Value> => ({ kind: "done", value }),
          (cause: unknown): Raced<Value> => ({ kind: "failed", cause }),
        ),
        ended.then((by): Raced<Value> => ({ kind: "ended", by })),
      ]);
      // A failure after the end is its consequence.
      return raced.kind === "failed" && endedBy !== undefined ? { kind: "ended", by: endedBy } : raced;
    },
    release(): void {
      deadline.abort();
      for (const signal of call.signals) signal.removeEventListener("abort", stop);
    },
  };
}
