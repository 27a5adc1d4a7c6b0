import { createServer, type AddressInfo, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { EmulatorClock } from "../../../emulator/clock.ts";
import { Deliveries } from "../../../emulator/delivery/deliveries.ts";
import { isLoopbackUrl } from "../../../emulator/delivery/loopback.ts";
import { Journal } from "../../../emulator/journal.ts";
import { MessageLog } from "../../../emulator/logs/message-log.ts";
import { resolveOptions } from "../../../emulator/options.ts";
import { plainSettings } from "../../../emulator/publish/message-headers.ts";
import { createStand } from "../../../../test/support/delivery-stand.ts";

/** A receiver below HTTP: it does as it likes with the socket once something has come. */
async function createSocketReceiver(behave: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => behave(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes until the other side has enough. */
function flood(socket: Socket, chunk: string): void {
  const pour = (): void => {
    while (!socket.destroyed && socket.write(chunk)) continue;
    if (!socket.destroyed) socket.once("drain", pour);
  };
  pour();
}

describe("a receiver that", () => {
  test.each([
    ["resets the connection", (socket) => socket.resetAndDestroy()],
    ["hangs up", (socket) => socket.end()],
    ["does not speak HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
    ["sends noise", (socket) => socket.end(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10]))],
    ["has a broken status line", (socket) => socket.end("HTTP/1.1 abc Whatever\r\n\r\n")],
    ["has a status beyond HTTP", (socket) => socket.end("HTTP/1.1 99999 Much\r\n\r\n")],
    ["sends a header without a colon", (socket) => socket.end("HTTP/1.1 200 OK\r\nnothing\r\n\r\n")],
    [
      "sends headers without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        flood(socket, `X-More: ${"x".repeat(1_000)}\r\n`);
      },
    ],
    [
      "sends one header without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
        flood(socket, "x".repeat(10_000));
      },
    ],
    [
      "promises more than it sends",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
    ],
    [
      "names two lengths",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    ],
    [
      "names no number as length",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nab"),
    ],
    [
      "breaks off within a chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nab"),
    ],
    [
      "sends a broken chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"),
    ],
    [
      "switches protocols",
      (socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    ],
  ] as [string, (socket: Socket) => void][])(
    "%s has failed, and the next message is served",
    async (_, behave) => {
      const stand = await createStand({ missingStatus: "zero" });
      const url = await createSocketReceiver(behave);
      stand.publish([
        { destination: url, body: "x", headers: { "Upstash-Retries": "1", "Upstash-Timeout": "5s" } },
      ]);
      await stand.core.deliveries.idle();
      expect(stand.core.journal.entries("delivery")).toEqual(
        [0, 1].map((retried) =>
          expect.objectContaining({ retried, status: 0, outcome: "failed", error: expect.any(String) }),
        ),
      );
      expect(stand.deadLetters()).toEqual([expect.objectContaining({ responseStatus: 0 })]);
      stand.publish([{ destination: stand.url }]);
      await stand.core.deliveries.idle();
      expect(stand.core.journal.counts().delivered).toBe(1);
    },
  );

  test("sends a body without end is cut at the limit and hung up on", async () => {
    const stand = await createStand({ maxResponseBytes: 10_000 });
    let hungUp!: () => void;
    const closed = new Promise<void>((resolve) => (hungUp = resolve));
    const url = await createSocketReceiver((socket) => {
      socket.once("close", hungUp);
      socket.write("HTTP/1.1 500 No\r\nConnection: close\r\n\r\n");
      flood(socket, "x".repeat(10_000));
    });
    stand.publish([{ destination: url, headers: { "Upstash-Retries": "0" } }]);
    await stand.core.deliveries.idle();
    expect(stand.deadLetters()).toEqual([
      expect.objectContaining({ responseStatus: 500, responseBody: "x".repeat(10_000) }),
    ]);
    await closed;
  });

  test("compresses its answer has it kept as it came", async () => {
    const stand = await createStand();
    const body = gzipSync("why it failed");
    stand.answer = () => ({ status: 500, headers: { "Content-Encoding": "gzip" }, body });
    stand.publish([{ destination: stand.url, headers: { "Upstash-Retries": "0" } }]);
    await stand.core.deliveries.idle();
    expect(stand.deadLetters()).toEqual([
      expect.objectContaining({ responseBody: "", responseBodyBase64: body.toString("base64") }),
    ]);
  });

  test("claims a compression that is none has answered all the same", async () => {
    const stand = await createStand();
    stand.answer = () => ({ status: 200, headers: { "Content-Encoding": "gzip" }, body: "not gzip" });
    stand.publish([{ destination: stand.url }]);
    await stand.core.deliveries.idle();
    expect(stand.core.journal.counts().delivered).toBe(1);
  });

  test("has gone away since the last message is called anew", async () => {
    const stand = await createStand();
    const url = await createSocketReceiver((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"),
    );
    for (let message = 0; message < 5; message++) {
      stand.publish([{ destination: url, headers: { "Upstash-Retries": "3" } }]);
      await stand.core.deliveries.idle();
    }
    expect(stand.core.journal.counts()).toMatchObject({ delivered: 5, deadLettered: 0 });
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("(%d) is a failed attempt and is not followed", async (status) => {
    const stand = await createStand();
    stand.answer = ({ path }) =>
      path === "/from" ? { status, headers: { Location: `${stand.url}/to` } } : { status: 200 };
    stand.publish([{ destination: `${stand.url}/from`, headers: { "Upstash-Retries": "0" } }]);
    await stand.core.deliveries.idle();
    expect(stand.callsTo("/to")).toEqual([]);
    expect(stand.deadLetters()).toEqual([
      expect.objectContaining({
        responseStatus: status,
        responseHeader: expect.objectContaining({ Location: [`${stand.url}/to`] }),
      }),
    ]);
  });
});

describe("only this machine", () => {
  test.each([
    "http://127.1/",
    "http://127.0.0.1./",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.255.255.254:9/",
    "http://0.0.0.0/",
    "http://0/",
    "http://[::]/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://localhost./",
    "http://LOCALHOST/",
    "http://a.b.localhost/",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://127.0.0.1/@example.com",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://１２７.0.0.1/",
  ])("is %s", (url) => expect(isLoopbackUrl(url)).toBe(true));

  test.each([
    "http://127.0.0.1@example.com/",
    "http://localhost:80@example.com/",
    "http://localhost%40example.com@example.com/",
    "http://localhost.example.com/",
    "http://notlocalhost/",
    "http://127.0.0.1.example.com/",
    "http://example.com#127.0.0.1",
    "http://example.com/127.0.0.1",
    "http://example.com\\127.0.0.1",
    "http://128.0.0.1/",
    "http://2147483649/",
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "http://192.168.1.1/",
    "http://[fe80::1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[2001:db8::7f00:1]/",
    "http://localhost..example.com/",
    "https://example.com/",
    "not a url",
  ])("is not %s", (url) => expect(isLoopbackUrl(url)).toBe(false));

  test.each([
    ["localhost", (port) => `http://localhost:${port}/`],
    ["localhost with a dot at the end", (port) => `http://localhost.:${port}/`],
    ["a name below localhost, whatever a name server says", (port) => `http://any.thing.localhost:${port}/`],
    ["an address in one number", (port) => `http://2130706433:${port}/`],
    ["the unspecified address", (port) => `http://0.0.0.0:${port}/`],
    ["an address behind a user name that looks like a host", (port) => `http://example.com@127.1:${port}/`],
  ] as [string, (port: string) => string][])("is called as %s", async (_, toUrl) => {
    const stand = await createStand();
    stand.publish([{ destination: toUrl(new URL(stand.url).port), headers: { "Upstash-Retries": "0" } }]);
    await stand.core.deliveries.idle();
    expect(stand.core.journal.entries("delivery")).toEqual([expect.objectContaining({ status: 200 })]);
  });

  test("is called; every other host fails at once, with retries and a dead letter", async () => {
    const stand = await createStand();
    stand.publish([
      {
        destination: `http://127.0.0.1@192.0.2.1:${new URL(stand.url).port}/`,
        headers: { "Upstash-Retries": "1" },
      },
    ]);
    await stand.core.deliveries.idle();
    const error = "not called: only destinations on this machine are delivered to";
    expect(stand.core.journal.entries("delivery").map((entry) => entry.error)).toEqual([error, error]);
    expect(stand.deadLetters()).toHaveLength(1);
  });

  test("unless every host may be called", async () => {
    const stand = await createStand({ deliver: "any" });
    // 192.0.2.0/24 is reserved for documentation: nobody answers there.
    const headers = { "Upstash-Retries": "0", "Upstash-Timeout": "1s" };
    stand.publish([{ destination: "http://192.0.2.1:9/", headers }]);
    await stand.core.deliveries.idle();
    const [entry] = stand.core.journal.entries("delivery");
    expect(entry).toMatchObject({ status: 0 });
    expect(entry!.error).not.toMatch(/not called/);
  });
});

describe("a message that the emulator itself fails on", () => {
  test("is told in the journal, ends, and holds up nobody", async () => {
    const settings = resolveOptions({ deliver: "loopback", maxInFlight: 1 });
    const clock = new EmulatorClock(settings.clock);
    const journal = new Journal(clock, settings.journalLimit);
    const deliveries = new Deliveries(
      { settings, clock, journal },
      new MessageLog({ settings, clock, journal }),
      ({ message }) => {
        if (message.messageId === "msg_1") throw new RangeError("Invalid string length");
        return "1-0";
      },
    );
    onTestFinished(() => deliveries.end());
    const url = "http://127.0.0.1:1/";
    for (const messageId of ["msg_1", "msg_2"]) {
      deliveries.send({
        messageId,
        url,
        body: Buffer.from("secret"),
        settings: { ...plainSettings, maxRetries: 0, flowControl: { key: "k", parallelism: 1 } },
        createdAt: 0,
        notBefore: 0,
        callerIp: "127.0.0.1",
      });
    }
    await deliveries.idle();
    expect(journal.entries("lost")).toEqual([
      expect.objectContaining({ messageId: "msg_1", url, error: "RangeError: Invalid string length" }),
    ]);
    expect(journal.counts()).toMatchObject({ failedAttempts: 2, lost: 1 });
    expect(deliveries.pending).toBe(0);
  });

  test("because of a question to the journal does not exist: who asks learns of it", async () => {
    const stand = await createStand();
    const asked = stand.core.journal.waitFor(({ type }) => {
      if (type === "delivery") throw new TypeError("no such field");
      return false;
    });
    stand.publish([{ destination: `${stand.url}/` }]);
    await expect(asked).rejects.toThrow("no such field");
    await stand.core.deliveries.idle();
    expect(stand.core.journal.counts()).toMatchObject({ delivered: 1, lost: 0 });
  });
});
