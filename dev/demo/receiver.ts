/**
 * The receiver of the demo, and its only witness. It has two ports: `steady` is up from the start, `flaky` is
 * first closed, then answers 503 until it is made to recover. Each can be made to fail and to recover at any
 * time. It counts what it answered with 200, by path and by the id inside the body.
 *
 *   /refused            422, for ever
 *   /never              489 with NonRetryable-Error, for ever
 *   /callback           what the service reports of an attempt
 *   /failure-callback   what it reports of a final failure
 *   anything else       200, or 503 on a port that is failing
 */
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen, probePort } from "./ports.ts";

export interface WitnessReport {
  /** Deliveries that were answered with 200, by `toKey(path, id)`. */
  readonly deliveries: Map<string, number>;
  /** Callbacks about an attempt that was answered with 2xx, by message id. */
  readonly successCallbacks: Map<string, number>;
  /** Callbacks about a final failure, by message id. */
  readonly failureCallbacks: Map<string, number>;
  /** Keys of deliveries whose method, body or headers were not what was published. */
  readonly altered: string[];
  /** Keys of deliveries to the flaky port that did not carry the mark which the rules add. */
  readonly unmarked: string[];
}

type ReceiverPort = "steady" | "flaky";

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Of the service's own headers. */
export const headerPrefix = "Upstash-";
export const witnessHeaders = { id: "X-Demo-Id", digest: "X-Demo-Digest", method: "X-Demo-Method" } as const;
/** Set by the rules of the demo, so that a delivery by redriver differs from one by the service itself. */
export const redrivenHeader = "X-Redriven";

export function toKey(path: string, id: string): string {
  return `${path} ${id}`;
}

export function toDigest(method: string, body: string | Buffer): string {
  return createHash("sha256").update(`${method}\n`).update(body).digest("hex");
}

export async function startReceiver() {
  const witness: WitnessReport = {
    deliveries: new Map(),
    successCallbacks: new Map(),
    failureCallbacks: new Map(),
    altered: [],
    unmarked: [],
  };
  const isUp: Record<ReceiverPort, boolean> = { steady: true, flaky: false };

  const serve = (port: ReceiverPort) =>
    http.createServer((request, response) => {
      const respond = (body: Buffer): void => {
        const { status, headers } = answer(port, request, body);
        response.writeHead(status, { "Content-Type": "application/json", ...headers }).end("{}");
      };
      buffer(request).then(respond, () => response.destroy());
    });

  function answer(
    port: ReceiverPort,
    request: http.IncomingMessage,
    body: Buffer,
  ): { readonly status: number; readonly headers?: Readonly<Record<string, string>> } {
    const path = request.url ?? "";
    switch (path) {
      case "/refused":
        return { status: 422 };
      case "/never":
        return { status: 489, headers: { [`${headerPrefix}NonRetryable-Error`]: "true" } };
      case "/callback":
        recordCallback(body, (status) => status >= 200 && status < 300, witness.successCallbacks);
        return { status: 200 };
      case "/failure-callback":
        recordCallback(body, () => true, witness.failureCallbacks);
        return { status: 200 };
      default:
        if (!isUp[port]) return { status: 503 };
        recordDelivery(port, request, path, body);
        return { status: 200 };
    }
  }

  function recordDelivery(
    port: ReceiverPort,
    request: http.IncomingMessage,
    path: string,
    body: Buffer,
  ): void {
    const id = findId(body);
    const key = toKey(path, id);
    add(witness.deliveries, key);
    const sent = (name: string): string | undefined => request.headers[name.toLowerCase()]?.toString();
    const isAsPublished =
      sent(witnessHeaders.id) === id &&
      sent(witnessHeaders.digest) === toDigest(request.method ?? "", body) &&
      sent(witnessHeaders.method) === request.method;
    if (!isAsPublished) witness.altered.push(key);
    if (port === "flaky" && sent(redrivenHeader) !== "true") witness.unmarked.push(key);
  }

  const steady = serve("steady");
  const flaky = serve("flaky");
  const steadyPort = await listen(steady, 0);
  const flakyPort = await findClosedPort();
  return {
    steadyUrl: `http://127.0.0.1:${steadyPort}`,
    flakyUrl: `http://127.0.0.1:${flakyPort}`,
    /** Opens the flaky port, which answers 503 from then on. */
    open: async (): Promise<void> => void (await listen(flaky, flakyPort)),
    /** From now on this port answers 503. */
    fail: (port: ReceiverPort): void => {
      isUp[port] = false;
    },
    /** From now on this port answers 200. */
    recover: (port: ReceiverPort): void => {
      isUp[port] = true;
    },
    witness,
    close: async (): Promise<void> => {
      await Promise.all([close(steady), close(flaky)]);
    },
  };
}

/** The id that the publisher wrote into the body: `"id":"…"` in JSON, `id="…"` in XML. */
function findId(body: Buffer): string {
  return /\bid"?\s*[:=]\s*"([^"]+)"/.exec(body.toString("utf8"))?.[1] ?? "no id";
}

function recordCallback(body: Buffer, counts: (status: number) => boolean, into: Map<string, number>): void {
  const { status, sourceBody } = JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>;
  if (counts(Number(status))) add(into, findId(Buffer.from(String(sourceBody), "base64")));
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * A port on which nothing listens, below 32768, where neither Linux nor macOS take local ports from. A client
 * that often calls a closed port above that is at some time given the same port for its own end. Then it is
 * connected to itself.
 */
async function findClosedPort(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await probePort(randomInt(20_000, 32_000));
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}

async function close(server: http.Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server.close(), "close");
  server.closeAllConnections();
  await closed;
}
