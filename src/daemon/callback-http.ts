import { Hono } from "hono";
import { listenBounded } from "./bounded-server.ts";

/** One callback quotes its message and what was answered, each a third larger as base64. */
const maxBodyBytes = 4 * 1_048_576;
/**
 * Of all bodies in hand: more are turned away, and the service calls again. Reading and handing one on takes
 * some four times its size.
 */
const maxBytesInHand = 8 * 1_048_576;
/** A URL of at most 2,000 characters, a signature, and what lies between adds. */
const maxHeaderBytes = 16_384;
const maxConnections = 200;
/** What is in hand as it closes may end; the service calls again for what does not. */
const closeWithinMs = 2_000;

export interface CallbackRequest {
  readonly path: string;
  /** With its `?`; empty where there is none. */
  readonly search: string;
  header(name: string): string | undefined;
  /** At most once. Who is not known is not read. */
  body(): Promise<Buffer | "too-large" | "busy">;
}

export interface CallbackAnswer {
  readonly status: 200 | 400 | 401 | 404 | 413 | 502 | 503;
  /** When to call again, in seconds. */
  readonly retryAfterSeconds?: number;
}

export interface CallbackServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly receive: (call: CallbackRequest) => Promise<CallbackAnswer>;
  /** From the first byte to the last. */
  readonly requestTimeoutMs: number;
}

export interface CallbackServer {
  /** `host:port` as bound. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Answers POST with the status that `receive` says, 405 to anything else. What it holds of bodies is bounded,
 * whoever calls. Fails with `settings-invalid` when the address cannot be bound.
 */
export async function createCallbackServer(options: CallbackServerOptions): Promise<CallbackServer> {
  let bytesInHand = 0;
  const readBody = async (stream: ReadableStream<Uint8Array> | null, keep: (bytes: number) => void) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of stream ?? []) {
      size += chunk.byteLength;
      if (size > maxBodyBytes) return "too-large";
      if (bytesInHand + chunk.byteLength > maxBytesInHand) return "busy";
      keep(chunk.byteLength);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };

  const app = new Hono();
  app.post("*", async (context) => {
    const { pathname, search } = new URL(context.req.url);
    let kept = 0;
    try {
      const { status, retryAfterSeconds } = await options.receive({
        path: pathname,
        search,
        header: (name) => context.req.header(name),
        body: () =>
          readBody(context.req.raw.body, (bytes) => {
            kept += bytes;
            bytesInHand += bytes;
          }),
      });
      const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
      return context.json({ ok: status === 200 }, status, headers);
    } finally {
      bytesInHand -= kept;
    }
  });
  app.all("*", (context) => context.json({ error: "expected POST" }, 405, { allow: "POST" }));
  // The error itself stays inside; the service calls again.
  app.onError((_error, context) => context.json({ ok: false }, 500));

  const server = await listenBounded({
    host: options.host,
    port: options.port,
    fetch: app.fetch,
    maxConnections,
    maxHeaderBytes,
    requestTimeoutMs: options.requestTimeoutMs,
    setting: "callback",
    variable: "REDRIVER_CALLBACK_PORT",
  });
  return { address: server.address, close: () => server.close(closeWithinMs) };
}
