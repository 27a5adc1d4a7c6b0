import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";

/** A TCP path to a server. The first connection on which the client says `word` is held there until it is released. */
export interface Hold {
  readonly url: string;
  /** Resolves when the word has come. */
  readonly reached: Promise<void>;
  release(): void;
}

export async function createHold(serverUrl: string, word: string): Promise<Hold> {
  const target = new URL(serverUrl);
  const sockets = new Set<net.Socket>();
  let held: net.Socket | null = null;
  const reach = new AbortController();
  const reached = once(reach.signal, "abort").then(() => undefined);
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    far.on("data", (data) => near.write(data));
    near.on("data", (data) => {
      if (held === null && data.includes(word)) {
        held = near;
        near.pause();
        reach.abort();
      }
      far.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    reached,
    release: () => void held?.resume(),
  };
}
