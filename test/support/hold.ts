import { once } from "node:events";
import type net from "node:net";
import { createTcpTap } from "./tcp-tap.ts";

/** A TCP path to a server. The first connection on which the client says `word` is held there until it is released. */
export async function createHold(serverUrl: string, word: string) {
  let held: net.Socket | null = null;
  const reach = new AbortController();
  const reached = once(reach.signal, "abort").then(() => undefined);
  const host = await createTcpTap(new URL(serverUrl), (near, far) => {
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
  return {
    url: `http://${host}`,
    /** Resolves when the word has come. */
    reached,
    release: () => void held?.resume(),
  };
}
