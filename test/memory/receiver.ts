import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { idOf } from "./letters.ts";

export interface Receiver {
  readonly url: string;
  /** How often each id came, with how many bytes it came last. */
  arrivals(): ReadonlyMap<string, { readonly times: number; readonly bytes: number }>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const arrivals = new Map<string, { readonly times: number; readonly bytes: number }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const id = idOf(body);
      arrivals.set(id, { times: (arrivals.get(id)?.times ?? 0) + 1, bytes: body.byteLength });
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/orders`,
    arrivals: () => arrivals,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
