/** Whoever is told by `notify`: an HTTP server that remembers what it was told, and when. */
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "../support/serve.ts";

export interface People {
  readonly url: string;
  /** Unix ms of the first such event after this time; Infinity if none comes within `withinMs` from now. */
  toldAt(event: string, after: number, withinMs: number): Promise<number>;
  close(): Promise<void>;
}

const lookEveryMs = 20;

export async function startPeople(): Promise<People> {
  const told: { readonly type: string; readonly at: number }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const at = Date.now();
      // Several that one message groups are told at the same time.
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly type: string;
        readonly data: { readonly notices?: readonly { readonly type: string }[] };
      };
      for (const one of data.notices ?? [{ type }]) told.push({ type: one.type, at });
      response.writeHead(204).end();
    });
  });
  const { url, close } = await serve(server);
  return {
    url,
    async toldAt(event, after, withinMs) {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const found = told.find(({ type, at }) => type === `redriver.${event}` && at >= after);
        if (found !== undefined) return found.at;
        if (Date.now() > deadline) return Infinity;
        await delay(lookEveryMs);
      }
    },
    close,
  };
}
