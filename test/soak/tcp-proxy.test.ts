import { once } from "node:events";
import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createTcpProxy } from "../support/tcp-proxy.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A server that sends back what it gets, and a path to it. */
async function stand() {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  const proxy = await createTcpProxy({ host: "127.0.0.1", port: (server.address() as net.AddressInfo).port });
  cleanups.push(() => proxy.close());
  return proxy;
}

async function connect(port: number) {
  const socket = net.connect(port, "127.0.0.1");
  const state = { text: "", closed: false };
  socket.on("data", (data) => {
    state.text += data.toString();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    state.closed = true;
  });
  await once(socket, "connect");
  cleanups.push(() => socket.destroy());
  return { socket, state };
}

const soon = { timeout: 2_000, interval: 5 };

describe("a path", () => {
  it("that stalls delivers what was held when it is healed, in its order", async () => {
    const proxy = await stand();
    const stalled = await connect(proxy.port);
    const passing = await connect(proxy.port);
    proxy.stall("half");
    const late = await connect(proxy.port);
    stalled.socket.write("one ");
    late.socket.write("new");
    // Whoever is not concerned has its answer first.
    passing.socket.write("x");
    await expect.poll(() => passing.state.text, soon).toBe("x");
    expect([stalled.state.text, late.state.text]).toEqual(["", ""]);
    stalled.socket.write("two");
    await proxy.heal();
    await expect.poll(() => [stalled.state.text, late.state.text], soon).toEqual(["one two", "new"]);
  });

  it("that was half-open stays silent for whoever lost a byte, and works for new connections", async () => {
    const proxy = await stand();
    const { socket, state } = await connect(proxy.port);
    const idle = await connect(proxy.port);
    idle.socket.write("warm");
    await expect.poll(() => idle.state.text, soon).toBe("warm");
    proxy.swallow();
    socket.write("lost");
    const during = await connect(proxy.port);
    during.socket.write("lost too");
    await expect.poll(() => proxy.dead, soon).toBe(2);
    await proxy.heal();
    socket.write("more");
    during.socket.write("more");
    idle.socket.write(" still");
    const fresh = await connect(proxy.port);
    fresh.socket.write("fresh");
    await expect.poll(() => [idle.state.text, fresh.state.text], soon).toEqual(["warm still", "fresh"]);
    expect([state, during.state]).toEqual([
      { text: "", closed: false },
      { text: "", closed: false },
    ]);
  });
});
