import { Hono, type Context } from "hono";
import type { Clock } from "../contracts/clock.ts";
import { listenBounded, type ServerAddress } from "../../bounded-server.ts";
import type { HealthReport } from "./health-checks.ts";

export interface OpsServerOptions extends ServerAddress {
  /** Must not wait: a liveness that hangs with Redis restarts every replica. */
  readonly livez: () => HealthReport;
  readonly readyz: () => Promise<HealthReport>;
  /** The Prometheus text. Called at most once a second, however many scrape. */
  readonly metrics: () => Promise<string>;
  readonly contentType: string;
  readonly clock: Pick<Clock, "monotonic">;
}

export type OpsServer = Awaited<ReturnType<typeof createOpsServer>>;

const maxHeaderBytes = 8_192;
/** A thousand scrapes at once still fit, at some 20 KiB each. Open sockets could use up files and memory. */
const maxConnections = 1_200;

/**
 * /livez and /readyz answer 200 or 503 with `{ ok, reasons }`, /metrics answers the Prometheus text.
 * Read-only: GET and HEAD, 405 for other methods, 404 for other paths. Fails with `settings-invalid` if the
 * address cannot be bound.
 */
export async function createOpsServer(options: OpsServerOptions) {
  const app = new Hono();
  app.get("/livez", (context) => answer(context, options.livez));
  app.get("/readyz", (context) => answer(context, options.readyz));
  const scrape = createSharedScrape(options.metrics, options.clock);
  app.get("/metrics", async (context) => {
    return context.body(await scrape(), 200, { "content-type": options.contentType });
  });
  for (const path of ["/livez", "/readyz", "/metrics"]) {
    app.all(path, (context) =>
      context.json({ error: `expected GET or HEAD, got ${context.req.method}` }, 405, { allow: "GET, HEAD" }),
    );
  }
  app.notFound((context) => context.json({ error: "expected /livez, /readyz or /metrics" }, 404));
  // The error itself stays inside: its message is for logs.
  app.onError((_error, context) => context.json({ error: "this page failed" }, 500));

  const server = await listenBounded({
    ...options,
    fetch: app.fetch,
    maxConnections,
    maxHeaderBytes,
    setting: "http",
    variable: "REDRIVER_HTTP_PORT",
  });
  // Ends also a socket in the middle of a request.
  return { address: server.address, port: server.port, close: () => server.close(0) };
}

async function answer(context: Context, ask: () => HealthReport | Promise<HealthReport>): Promise<Response> {
  try {
    const { ok, reasons } = await ask();
    return context.json({ ok, reasons }, ok ? 200 : 503);
  } catch {
    return context.json({ ok: false, reasons: ["the check itself failed"] }, 503);
  }
}

const maxAgeMs = 1_000;

/**
 * Renders at most once a second and one at a time. All requests meanwhile wait for that render or get its bytes. They
 * share one buffer, so a thousand unread answers weigh no more than one. A failure counts as a render.
 */
function createSharedScrape(
  render: () => Promise<string>,
  clock: Pick<Clock, "monotonic">,
): () => Promise<Uint8Array<ArrayBuffer>> {
  let latest: Promise<Uint8Array<ArrayBuffer>> | null = null;
  let startedAt = 0;
  let isUnderWay = false;

  return () => {
    if (latest !== null && (isUnderWay || clock.monotonic() - startedAt < maxAgeMs)) return latest;
    isUnderWay = true;
    startedAt = clock.monotonic();
    latest = render()
      .then((text) => new TextEncoder().encode(text))
      .finally(() => (isUnderWay = false));
    return latest;
  };
}
