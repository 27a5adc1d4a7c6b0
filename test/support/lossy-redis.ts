import type net from "node:net";
import type { RedisScript } from "../../src/job/redis/script-runner.ts";
import type { Worker } from "./race-stand.ts";
import { createTcpTap } from "./tcp-tap.ts";

/** A TCP path to Redis that keeps a reply back, and then breaks. */
export async function createLossyRedis(redisUrl: string) {
  const url = new URL(redisUrl);
  let word: string | null = null;
  let times = 0;
  let muted: net.Socket | null = null;
  url.host = await createTcpTap(new URL(redisUrl), (near, far) => {
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
  return {
    url: url.href,
    /** From now on nothing comes back on the first connection on which the client says this word. */
    withholdRepliesTo(next: string): void {
      word = next;
    },
    /** How often the client said the word. */
    said: () => times,
    /** Resets that connection; the client connects again and sends again what was not answered. */
    lose: () => void muted?.resetAndDestroy(),
  };
}

/** The reply to the worker's next script of this name is withheld. Resolves when the script is on its way. */
export function withholdReplyTo(
  worker: Worker,
  lossy: Awaited<ReturnType<typeof createLossyRedis>>,
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
