import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { RedriverError } from "../ports/errors.ts";
import type { Verdict } from "./readiness.ts";

export interface OpsServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Must not wait: a liveness that hangs with Redis restarts every replica. */
  readonly livez: () => Verdict;
  readonly readyz: () => Promise<Verdict>;
  /** The Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** Of the Prometheus text. */
  readonly contentType: string;
  /** A probe or scrape sends its few headers at once; who takes longer is cut off. Default 10 s. */
  readonly requestTimeoutMs?: number;
}

export interface OpsServer {
  /** `host:port` as bound. */
  readonly address: string;
  readonly port: number;
  /** Stops listening and ends every socket, also one in the middle of a request. */
  close(): Promise<void>;
}

const defaultRequestTimeoutMs = 10_000;
/** How often slow senders are looked for. Node's own 30 s would let them have four times as long. */
const lookEveryMs = 1_000;
const maxHeaderBytes = 8_192;
/** Probes and scrapers are a handful; without an end to it, open sockets could use up the process's files. */
const maxConnections = 100;

/**
 * /livez and /readyz answer 200 or 503 with `{ ok, reasons }`, /metrics answers the Prometheus text. Read-only: GET and HEAD,
 * 405 for other methods, 404 for other paths. Fails with `settings-invalid` when the address cannot be bound.
 */
export async function createOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const app = new Hono();
  app.get("/livez", (context) => answer(context, options.livez));
  app.get("/readyz", (context) => answer(context, options.readyz));
  app.get("/metrics", async (context) => {
    const text = await options.metrics();
    return context.body(text, 200, { "content-type": options.contentType });
  });
  for (const path of ["/livez", "/readyz", "/metrics"]) {
    app.all(path, (context) =>
      context.json({ error: `expected GET or HEAD, got ${context.req.method}` }, 405, { allow: "GET, HEAD" }),
    );
  }
  app.notFound((context) => context.json({ error: "expected /livez, /readyz or /metrics" }, 404));
  // The error itself stays inside: its message is for logs.
  app.onError((_error, context) => context.json({ error: "this page failed" }, 500));

  const { requestTimeoutMs = defaultRequestTimeoutMs } = options;
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(lookEveryMs, requestTimeoutMs),
      maxHeaderSize: maxHeaderBytes,
    },
  });
  server.maxConnections = maxConnections;
  server.listen(options.port, options.host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new RedriverError(
      "settings-invalid",
      `http: expected an address that can be bound, got ${options.host}:${options.port} (REDRIVER_HTTP_PORT)`,
      { cause: error },
    );
  }
  const { address, family, port } = server.address() as AddressInfo;
  return {
    address: `${family === "IPv6" ? `[${address}]` : address}:${port}`,
    port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(context: Context, ask: () => Verdict | Promise<Verdict>): Promise<Response> {
  try {
    const { ok, reasons } = await ask();
    return context.json({ ok, reasons }, ok ? 200 : 503);
  } catch {
    return context.json({ ok: false, reasons: ["the check itself failed"] }, 503);
  }
}
