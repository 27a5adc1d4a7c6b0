import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import {
  createOpsServer,
  type OpsServer,
  type OpsServerOptions,
} from "../../../../src/job/daemon/ops-http.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { sendBytes } from "../../../support/raw-http.ts";

const open: OpsServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const failing = (): Promise<never> => Promise.reject(new Error("secret detail"));

async function serve(options: Partial<OpsServerOptions> = {}): Promise<OpsServer> {
  const server = await createOpsServer({
    host: "127.0.0.1",
    port: 0,
    livez: () => ({ ok: true, reasons: [] }),
    readyz: async () => ({ ok: true, reasons: [] }),
    metrics: async () => "redriver_redis_up 1\n",
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    clock: createManualClock(),
    requestTimeoutMs: 10_000,
    ...options,
  });
  open.push(server);
  return server;
}

async function get(server: OpsServer, path: string, init: RequestInit = {}) {
  const response = await fetch(`http://${server.address}${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

describe("the ops pages", () => {
  test("answer 200 when all is well, the metrics under their own content type, and are the only ones", async () => {
    const server = await serve();
    for (const path of ["/livez", "/readyz"]) {
      const page = await get(server, path);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toContain("application/json");
      expect(JSON.parse(page.text)).toEqual({ ok: true, reasons: [] });
    }
    const metrics = await get(server, "/metrics");
    expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(metrics.text).toBe("redriver_redis_up 1\n");
    expect((await get(server, "/metrics/")).status).toBe(404);
  });

  test("name the variables of an address that cannot be bound", async () => {
    const { port } = await serve();
    await expect(serve({ port })).rejects.toThrow(/in use \(REDRIVER_HTTP_PORT\)$/);
    await expect(serve({ host: "192.0.2.1" })).rejects.toThrow("(REDRIVER_HTTP_HOST, REDRIVER_HTTP_PORT)");
  });

  test("answer 503 without details when a check throws, and 500 when the metrics do", async () => {
    const server = await serve({
      livez: () => {
        throw new Error("secret detail");
      },
      readyz: failing,
      metrics: failing,
    });
    const pages = await Promise.all(["/livez", "/readyz", "/metrics"].map((path) => get(server, path)));
    expect(pages.map(({ status }) => status)).toEqual([503, 503, 500]);
    expect(pages.map(({ text }) => text).join("")).not.toContain("secret detail");
  });
});

const urlOf = ({ address }: OpsServer): string => `http://${address}`;

const closing = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket, "close");
};
const head = "GET /livez HTTP/1.1\r\nHost: ops\r\n";

describe("the ops server", () => {
  test.each([
    ["no HTTP", "\u0000\u00ff nothing\r\n\r\n"],
    ["a target that is no path", "GET http://[ HTTP/1.1\r\nHost: ops\r\n\r\n"],
    ["a half percent", "GET /% HTTP/1.1\r\nHost: ops\r\n\r\n"],
    ["a host that is none", "GET /livez HTTP/1.1\r\nHost: [\r\n\r\n"],
    ["no host", "GET /livez HTTP/1.0\r\n\r\n"],
    ["an upgrade", "GET /livez HTTP/1.1\r\nHost: ops\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
    ["a tunnel", "CONNECT ops:1 HTTP/1.1\r\nHost: ops\r\n\r\n"],
  ])("lives through %s", async (_name, request) => {
    const server = await serve({ requestTimeoutMs: 200 });
    const bytes = request.replace(/\r\n$/, "Connection: close\r\n\r\n");
    const { end, status, text } = await sendBytes(urlOf(server), [Buffer.from(bytes, "latin1")], 5_000);
    expect(end).not.toBe("hung");
    expect(status).not.toBe(500);
    expect(text).not.toMatch(/at .*\.(js|ts):\d/);
    expect((await get(server, "/livez")).status).toBe(200);
  });

  test("ends open sockets and requests under way when it closes", async () => {
    const asked = new EventEmitter();
    const server = await serve({
      metrics: () => {
        asked.emit("now");
        return new Promise(() => undefined);
      },
    });
    const idle = connect(server.port, "127.0.0.1");
    await once(idle, "connect");
    const gone = once(idle, "close");
    const wasAsked = once(asked, "now");
    const request = get(server, "/metrics").catch((error: unknown) => error);
    await wasAsked;
    await server.close();
    await gone;
    expect(await request).toMatchObject({ message: "fetch failed" });
    await expect(get(server, "/livez")).rejects.toThrow("fetch failed");
    await server.close();
  });
});

const isUp = async (server: OpsServer): Promise<boolean> => (await get(server, "/livez")).status === 200;

/** Sockets that connect, then write, and read nothing before they are resumed; they close with the test. */
async function crowd(server: OpsServer, count: number, text: string): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(server.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    // The server may cut it off at any time.
    socket.on("error", () => undefined);
    return socket.pause();
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.write(text);
  return sockets;
}

describe("a crowd at the ops port", () => {
  const scrape = "GET /metrics HTTP/1.1\r\nHost: ops\r\n\r\n";
  test("has its scrapes rendered once a second, and shares the text", async () => {
    const clock = createManualClock();
    let renders = 0;
    const server = await serve({ clock, metrics: async () => `renders ${++renders}\n` });
    const scrapes = async (count: number) =>
      Promise.all(Array.from({ length: count }, async () => (await get(server, "/metrics")).text));
    expect(new Set(await scrapes(20))).toEqual(new Set(["renders 1\n"]));
    clock.advance(999);
    expect(new Set(await scrapes(3))).toEqual(new Set(["renders 1\n"]));
    clock.advance(1);
    expect(new Set(await scrapes(20))).toEqual(new Set(["renders 2\n"]));
  });

  test("that pipelines without reading costs neither memory nor liveness", async () => {
    const bytes = 64 * 1_024;
    let renders = 0;
    const server = await serve({
      metrics: async () => {
        renders += 1;
        return Buffer.alloc(bytes, "x").toString("latin1");
      },
    });
    const before = process.memoryUsage().rss;
    const sockets = await crowd(server, 99, scrape.repeat(80));
    expect(await isUp(server)).toBe(true);
    // 99 × 80 answers of 64 KiB, each a text of its own, are 495 MiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576);
    await Promise.all(sockets.map((socket) => closing(socket.resume())));
    // A render a second: what is left of a minute is far more than this takes.
    expect(renders).toBeLessThan(60);
  });

  test("of slow senders makes room for a probe, the longest silent first", async () => {
    const server = await serve({ requestTimeoutMs: 50_000 });
    const sockets = await crowd(server, 1_300, "GET /livez HTTP/1.1\r\nHost:");
    const first = closing(sockets[0]!.resume());
    for (let probe = 0; probe < 5; probe++) expect(await isUp(server)).toBe(true);
    await first;
    expect(sockets.at(-1)?.destroyed).toBe(false);
  });

  test("that does not read its answer is cut off", async () => {
    // More than the buffers of both ends of a connection take.
    const bytes = 32 * 1_048_576;
    const server = await serve({ requestTimeoutMs: 2_000, metrics: async () => "x".repeat(bytes) });
    const [socket] = await crowd(server, 1, scrape);
    expect(await isUp(server)).toBe(true);
    // Whoever is slow in asking has as long, and began later.
    await sendBytes(urlOf(server), [Buffer.from(head)], 20_000);
    let received = 0;
    socket?.on("data", (chunk: Buffer) => (received += chunk.length));
    await closing(socket!.resume());
    expect(received).toBeLessThan(bytes);
  });
});
