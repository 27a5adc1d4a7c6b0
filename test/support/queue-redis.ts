import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { systemClock } from "../../src/system-world.ts";
import type { RedriverEvent } from "../../src/job/contracts/events.ts";
import { createBullmqQueue, type QueueOptions } from "../../src/job/queue/bullmq-queue.ts";
import { toBullmqConnection } from "../../src/job/redis/connect.ts";

export type RedisWay = Awaited<ReturnType<typeof createRedisWay>>;

/** A way to a Redis server that can be cut and restored; the server itself is nobody's to stop. */
export async function createRedisWay(serverUrl: string) {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || "6379"), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const way = new URL(target);
  way.host = `127.0.0.1:${port}`;
  return {
    /** The server's database, by this way. */
    url: way.href,
    /** Resets every connection, and refuses new ones. */
    async cut() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    async mend() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
}

export type RecordedEvents = ReturnType<typeof recordEvents>;

export function recordEvents() {
  const all: RedriverEvent[] = [];
  return {
    all,
    emit: (event: RedriverEvent) => void all.push(event),
    of: <Type extends RedriverEvent["type"]>(type: Type) =>
      all.filter((event): event is Extract<RedriverEvent, { type: Type }> => event.type === type),
  };
}

export function openQueue(url: string, options: Partial<QueueOptions> & { readonly keyPrefix: string }) {
  const events = recordEvents();
  const queue = createBullmqQueue({
    createConnection: (role) => toBullmqConnection({ url }, role),
    clock: systemClock,
    events,
    retry: { attempts: 3, baseMs: 20, capMs: 50 },
    ...options,
  });
  queue.allow({ short: 4, windows: 4 });
  return { queue, events };
}
