import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls, TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { createConnection } from "../../../../src/job/service/connection.ts";
import { ResettableSocket } from "../../../../src/job/service/resettable-socket.ts";
import { startForwardProxy } from "../../../support/forward-proxy.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import {
  connectTo,
  rawAnswer,
  startRaw,
  watch,
  type RawConnection,
  type RawServer,
} from "../../../support/message-service-server.ts";
import { testCertificate, testCertificateKey } from "../../../support/service-certificate.ts";

const items = ['{"destination":"https://a.example"}'];
const whole = `[${items.join(",")}]`;
const allowed = (): boolean => true;
const accepted = rawAnswer(200, '[{"messageId":"msg_1"}]');
// More than both kernels' buffers hold, so that a peer that does not read stalls it.
const large = [JSON.stringify({ body: "x".repeat(30_000_000) })];

interface Peer {
  /** The bytes of HTTP. */
  readonly http: RawConnection;
  /** The bytes of TCP: the same, or TLS. */
  readonly tcp: RawConnection;
}

/**
 * The same server with and without TLS. With TLS it stands behind a TCP relay, which sees how the connection
 * really ends.
 */
async function start(scheme: "http" | "https", onPeer: (peer: Peer) => void): Promise<RawServer> {
  if (scheme === "http") return startRaw((connection) => onPeer({ http: connection, tcp: connection }));
  const waiting: RawConnection[] = [];
  const behind = await startRaw(({ socket }) => {
    // Raw listeners would take the TLS bytes away.
    socket.removeAllListeners("data");
    const tls = new TLSSocket(socket, { isServer: true, cert: testCertificate, key: testCertificateKey });
    const tcp = waiting.shift();
    if (tcp !== undefined) onPeer({ http: watch(tls), tcp });
  });
  return startRaw((connection) => {
    const { socket } = connection;
    waiting.push(connection);
    const onward = connectTcp(Number(new URL(behind.baseUrl).port), "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
    onTestFinished(() => void onward.destroy());
  }, "https");
}

function bodyOf(connection: RawConnection): string {
  return connection.text().split("\r\n\r\n").slice(1).join("\r\n\r\n");
}

test.each(["http", "https"] as const)(
  "over %s a late batch is withheld: its last byte never leaves",
  async (scheme) => {
    let seen: Peer | undefined;
    const server = await start(scheme, (peer) => {
      seen = peer;
    });
    const { service, answers } = connectTo(server.baseUrl, { ca: testCertificate });
    expect(await service.publish(items, () => false)).toMatchObject({ kind: "not-sent", why: "too-late" });
    await seen?.tcp.ended;
    // The reset may overtake what was sent before it.
    expect(whole.slice(0, -1).startsWith(seen === undefined ? "?" : bodyOf(seen.http))).toBe(true);
    expect(answers).toMatchObject([{ operation: "batch", outcome: "not-sent" }]);
  },
);

test("the last byte is asked for when the rest has already arrived", async () => {
  const server = await startRaw(() => undefined);
  const { service } = connectTo(server.baseUrl);
  const stop = new AbortController();
  const asked = new Promise<void>((resolve) => {
    void service.publish(items, () => (resolve(), true), stop.signal);
  });
  await asked;
  await server.connections[0]?.received(whole);
  expect(server.connections).toHaveLength(1);
});

test.each(["http", "https"] as const)(
  "over %s a batch without an answer is unknown and its connection is reset",
  async (scheme) => {
    const clock = createManualClock();
    let ended: Promise<string> | undefined;
    const server = await start(scheme, ({ http, tcp }) => {
      ({ ended } = tcp);
      http.when(whole, () => clock.advance(30_000));
    });
    const { service, answers } = connectTo(server.baseUrl, { clock, ca: testCertificate });
    expect(await service.publish(items, allowed)).toEqual({
      kind: "in-doubt",
      error: expect.stringContaining("no answer within 30000 ms (service.batchTimeout)"),
    });
    expect(await ended).toBe("reset");
    expect(answers).toEqual([{ operation: "batch", outcome: "unknown", durationMs: 30_000 }]);
  },
);

test("what a stalled peer has not read is dropped by the reset", async () => {
  const clock = createManualClock();
  const server = await startRaw(({ socket, when }) => {
    when("\r\n\r\n", () => {
      socket.pause();
      clock.advance(30_000);
    });
  });
  const { service } = connectTo(server.baseUrl, { clock });
  const outcome = await service.publish(large, () => expect.unreachable("asked for the last byte"));
  expect(outcome.kind).toBe("in-doubt");
  const [stalled] = server.connections;
  stalled?.socket.resume();
  await stalled?.ended;
  // A connection closed in the ordinary way delivers what the kernels hold, some 4 MB here.
  expect(stalled?.text().length).toBeLessThan(1_000_000);
});

test("an answer of success before the last byte proves nothing, and that byte is withheld", async () => {
  const server = await startRaw(({ socket, when }) => {
    when("\r\n\r\n", () => {
      socket.pause();
      socket.write(accepted);
    });
  });
  const { service } = connectTo(server.baseUrl);
  const outcome = await service.publish(large, () => expect.unreachable("asked for the last byte"));
  expect(outcome).toEqual({ kind: "in-doubt", error: expect.stringContaining("before the last byte") });
});

// Over TLS this is also the case in which a careless reset crashes the process.
test.each(["http", "https"] as const)(
  "over %s a batch stopped before its last byte was not sent",
  async (scheme) => {
    const stop = new AbortController();
    const server = await start(scheme, ({ http, tcp }) => {
      http.when("\r\n\r\n", () => {
        tcp.socket.unpipe().pause();
        stop.abort();
      });
    });
    const { service, answers } = connectTo(server.baseUrl, { ca: testCertificate });
    const outcome = await service.publish(
      large,
      () => expect.unreachable("asked for the last byte"),
      stop.signal,
    );
    expect(outcome).toMatchObject({ kind: "not-sent", why: "stopped" });
    expect(answers).toMatchObject([{ outcome: "stopped" }]);
  },
);

test("a batch stopped while its last byte is asked for was not sent", async () => {
  const stop = new AbortController();
  const server = await startRaw(() => undefined);
  const { service } = connectTo(server.baseUrl);
  const outcome = await service.publish(items, () => (stop.abort(), true), stop.signal);
  expect(outcome).toMatchObject({ kind: "not-sent", why: "stopped" });
  const [connection] = server.connections;
  await connection?.ended;
  expect(connection?.text()).not.toContain(whole);
});

test("a batch stopped after its last byte is unknown", async () => {
  const stop = new AbortController();
  const server = await startRaw(({ when }) => when(whole, () => stop.abort()));
  const { service, answers } = connectTo(server.baseUrl);
  expect((await service.publish(items, allowed, stop.signal)).kind).toBe("in-doubt");
  expect(await server.connections[0]?.ended).toBe("reset");
  expect(answers).toMatchObject([{ outcome: "unknown" }]);
});

test("a batch stopped before it began sends nothing", async () => {
  const server = await startRaw(() => undefined);
  const { service } = connectTo(server.baseUrl);
  expect(await service.publish(items, allowed, AbortSignal.abort())).toMatchObject({
    kind: "not-sent",
    why: "stopped",
  });
  expect(server.connections).toHaveLength(0);
});

test.each([
  ["reset after the whole batch", whole, "reset", items],
  ["closed after the whole batch", whole, "close", items],
  ["reset after the first bytes", "POST ", "reset", items],
  ["closed after the first bytes", "POST ", "close", items],
  ["reset in the middle of a large batch", "\r\n\r\n", "reset", large],
])("a connection %s, without an answer, is unknown", async (_name, part, how, sent) => {
  const server = await startRaw(({ socket, when }) => {
    when(part, () => (how === "reset" ? socket.resetAndDestroy() : socket.end()));
  });
  const { service } = connectTo(server.baseUrl);
  expect((await service.publish(sent, allowed)).kind).toBe("in-doubt");
  expect(server.connections).toHaveLength(1);
});

test("a refused connection, a name that does not resolve, failed TLS and a certificate that is not trusted were not sent", async () => {
  const plain = await startRaw(({ socket }) => socket.end("not TLS"));
  const untrusted = await start("https", () => undefined);
  for (const [address, said] of [
    [plain.baseUrl.replace(/:\d+$/, ":1"), "ECONNREFUSED"],
    ["http://redriver.invalid", "redriver.invalid"],
    [plain.baseUrl.replace("http:", "https:"), "SSL"],
    [untrusted.baseUrl, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ] as const) {
    const { service, answers } = connectTo(address);
    const error = expect.stringContaining(said) as string;
    expect(await service.publish(items, allowed)).toEqual({ kind: "not-sent", why: "connect", error });
    expect(answers).toMatchObject([{ outcome: "not-sent" }]);
  }
});

test("a connection that is not made in time was not sent", async () => {
  const clock = createManualClock();
  // Accepts TCP and never speaks TLS.
  const server = await startRaw(
    ({ socket }) => void once(socket, "test:received").then(() => clock.advance(5_000)),
    "https",
  );
  const { service } = connectTo(server.baseUrl, { clock });
  expect(await service.publish(items, allowed)).toEqual({
    kind: "not-sent",
    why: "connect",
    error: expect.stringContaining("no connection within 5000 ms"),
  });
});

test("an accepted batch over TLS is accepted", async () => {
  const server = await start("https", ({ http }) => http.when(whole, () => http.socket.write(accepted)));
  const { service } = connectTo(server.baseUrl.replace("127.0.0.1", "localhost"), { ca: testCertificate });
  expect(await service.publish(items, allowed)).toMatchObject({ kind: "answered" });
});

test("what has left this process is known while a peer stalls", async () => {
  const server = await startRaw(({ socket }) => void socket.pause());
  const connection = createConnection({
    origin: server.baseUrl,
    clock: createManualClock(),
    connectTimeoutMs: 5_000,
  });
  const ended = new AbortController();
  onTestFinished(() => connection.reset());
  const heldBack = await new Promise<boolean>((resolve) => {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield Buffer.alloc(10_000);
        const flushed = connection.flushed().then(() => "flushed");
        const waited = new Promise((wake) => setImmediate(() => setImmediate(wake)));
        if ((await Promise.race([flushed, waited])) === "flushed") continue;
        server.connections[0]?.socket.resume();
        resolve((await flushed) === "flushed");
        if (ended.signal.aborted) return;
      }
    }
    const headers = { "content-length": "1000000000" };
    const listener = {
      onHeaders: () => undefined,
      onBytes: () => undefined,
      onEnd: () => undefined,
      onFailure: () => ended.abort(),
    };
    connection.send({ method: "POST", path: "/", headers, body: body(), timeoutMs: 60_000 }, listener);
  });
  expect(heldBack).toBe(true);
});

/** A server with TLS. Its address names a host that only the proxy finds. */
const startBehind = async (onPeer: (peer: Peer) => void) => {
  const { baseUrl } = await start("https", onPeer);
  return { baseUrl: baseUrl.replace("127.0.0.1", "localhost") };
};

test.each([undefined, "ops:s3cret"])("a batch goes through the proxy, user %s", async (user) => {
  const proxy = await startForwardProxy(user === undefined ? {} : { user });
  const { baseUrl } = await startBehind(({ http }) => http.when(whole, () => http.socket.write(accepted)));
  const { service } = connectTo(baseUrl, { proxy: proxy.forwardProxy, ca: testCertificate });
  expect(await service.publish(items, () => true)).toMatchObject({ kind: "answered" });
  expect(proxy.asked).toEqual([new URL(baseUrl).host]);
});

test("a late batch is withheld behind a proxy that buffers: its last byte never leaves", async () => {
  const proxy = await startForwardProxy({ keepsMs: 200 });
  const peers: RawConnection[] = [];
  const { baseUrl } = await startBehind(({ http }) => void peers.push(http));
  const { service } = connectTo(baseUrl, { proxy: proxy.forwardProxy, ca: testCertificate });
  expect(await service.publish(items, () => false)).toMatchObject({ kind: "not-sent", why: "too-late" });
  await peers[0]?.ended;
  await delay(400);
  expect(peers[0]?.text()).toContain("POST ");
  expect(peers[0]?.text()).not.toContain(whole);
});

test("what a proxy keeps arrives after the answer was given up, so the batch is in doubt", async () => {
  const proxy = await startForwardProxy({ keepsMs: 300 });
  const clock = createManualClock();
  const peers: RawConnection[] = [];
  const { baseUrl } = await startBehind(({ http }) => void peers.push(http));
  const { service } = connectTo(baseUrl, { proxy: proxy.forwardProxy, ca: testCertificate, clock });
  const published = service.publish(items, () => true);
  while (peers.length === 0) await delay(20);
  await peers[0]?.received("POST ");
  await delay(50);
  clock.advance(30_000);
  expect(await published).toMatchObject({ kind: "in-doubt" });
  await peers[0]?.received(whole);
});

// Resetting the TCP socket first crashes this process in the second destroy.
test("a TLS connection can be reset while it writes, and destroyed again after it", async () => {
  const server = await startRaw(({ socket }) => {
    socket.removeAllListeners("data");
    const tls = new TLSSocket(socket, { isServer: true, cert: testCertificate, key: testCertificateKey });
    tls.on("error", () => undefined).resume();
  });
  for (let round = 0; round < 20; round += 1) {
    const tcp = new ResettableSocket();
    onTestFinished(() => tcp.close());
    tcp.connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
    await once(tcp, "connect");
    const tls = connectTls({ socket: tcp, ca: testCertificate, servername: "localhost" });
    tcp.carry(tls);
    tls.on("error", () => undefined);
    await once(tls, "secureConnect");
    const closed = Promise.all([once(tcp, "close"), once(tls, "close")]);
    tls.write("under way");
    tcp.reset();
    tls.destroy();
    await closed;
  }
  expect(server.connections).toHaveLength(20);
});
