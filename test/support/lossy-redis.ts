import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import type { RedisScript } from "../../src/redis/script-runner.ts";
import type { Worker } from "./race-stand.ts";

/** A TCP path to Redis that keeps a reply back, and then breaks. */
export interface LossyRedis {
  readonly url: string;
  /** From now on nothing comes back on the first connection on which the client says this word. */
  withholdRepliesTo(word: string): void;
  /** How often the client said the word. */
  said(): number;
  /** Resets that connection; the client connects again and sends again what was not answered. */
  lose(): void;
}

export async function createLossyRedis(redisUrl: string): Promise<LossyRedis> {
  const url = new URL(redisUrl);
  const { port, hostname } = url;
  const sockets = new Set<net.Socket>();
  let word: string | null = null;
  let times = 0;
  let muted: net.Socket | null = null;
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (data) => {
      if (word !== null && data.includes(word)) {
        times += 1;
        muted ??= near;
      }
      far.write(data);
    });
    far.on("data", (data) => {
      if (muted !== near) near.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    url: url.href,
    withholdRepliesTo: (next) => {
      word = next;
    },
    said: () => times,
    lose: () => void muted?.resetAndDestroy(),
  };
}

/** The reply to the worker's next script of this name is withheld. Resolves when the script is on its way. */
export function withholdReplyTo(
  worker: Worker,
  lossy: LossyRedis,
  name: string,
  load: (script: RedisScript) => Promise<unknown>,
): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    worker.onScript(async (script) => {
      if (script.name !== `ledger:${name}` || !isFirst) return;
      isFirst = false;
      // Known to the server, so that the first try is the one that runs.
      await load(script);
      lossy.withholdRepliesTo(script.sha);
      resolve();
    });
  });
}
