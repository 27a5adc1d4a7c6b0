import { Hono } from "hono";
import { listenBounded, type ServerAddress } from "../../bounded-server.ts";

/** One callback quotes its message and the answer to it, each a third larger as base64. */
const maxBodyBytes = 4 * 1_048_576;
/** Of all bodies in hand; beyond it the service must call again. A body takes some four times its size. */
const maxBytesInHand = 8 * 1_048_576;
/** Sum of a URL of at most 2,000 characters, a signature, and the headers of proxies. */
const maxHeaderBytes = 16_384;
const maxConnections = 200;
/** Callbacks in hand may end within this time. The service repeats the others. */
const closeWithinMs = 2_000;

export interface CallbackRequest {
  readonly path: string;
  /** With its `?`; empty if there is none. */
  readonly search: string;
  header(name: string): string | undefined;
  /** At most once. The body of an unknown caller is not read. */
  body(): Promise<Buffer | "too-large" | "busy">;
}

export interface CallbackAnswer {
  readonly status: 200 | 400 | 401 | 404 | 413 | 502 | 503;
  readonly retryAfterSeconds?: number;
}

interface CallbackServerOptions extends ServerAddress {
  readonly receive: (call: CallbackRequest) => Promise<CallbackAnswer>;
}

export type CallbackServer = Awaited<ReturnType<typeof createCallbackServer>>;

/** Answers with the status of `receive`. Fails with `settings-invalid` if the address cannot be bound. */
export async function createCallbackServer(options: CallbackServerOptions) {
  let bytesInHand = 0;
  const app = new Hono();
  app.post("*", async (context) => {
    const { pathname, search } = new URL(context.req.url);
    let kept = 0;
    try {
      const { status, retryAfterSeconds } = await options.receive({
        path: pathname,
        search,
        header: (name) => context.req.header(name),
        async body() {
          const chunks: Uint8Array[] = [];
          for await (const chunk of context.req.raw.body ?? []) {
            const { byteLength } = chunk;
            if (kept + byteLength > maxBodyBytes) return "too-large";
            if (bytesInHand + byteLength > maxBytesInHand) return "busy";
            kept += byteLength;
            bytesInHand += byteLength;
            chunks.push(chunk);
          }
          return Buffer.concat(chunks);
        },
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
    ...options,
    fetch: app.fetch,
    maxConnections,
    maxHeaderBytes,
    setting: "callback",
    variable: "REDRIVER_CALLBACK_PORT",
  });
  return { address: server.address, close: () => server.close(closeWithinMs) };
}
