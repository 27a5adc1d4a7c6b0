import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rootHeader } from "./letters.ts";

/** The receiver. It remembers which message it took, and which dead letter that message goes back to. */
export interface Witness {
  readonly url: string;
  /** Answers this to everybody, until told null. */
  down: number | null;
  /** Messages answered with 200, by id, and the root that they carried. */
  readonly taken: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export async function startWitness(): Promise<Witness> {
  const taken = new Map<string, string>();
  const firstOf = new Map<string, string>();
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const root = String(request.headers[rootHeader.toLowerCase()]);
      const messageId = String(request.headers["upstash-message-id"]);
      if (!firstOf.has(root)) firstOf.set(root, messageId);
      // All attempts of a root's first message fail there, so that it comes back as a dead letter.
      const isFailing = request.url === "/flaky" && firstOf.get(root) === messageId;
      const status = witness.down ?? (isFailing ? 503 : 200);
      if (status === 200) taken.set(messageId, root);
      response.writeHead(status).end("an answer");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const witness: Witness = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    down: null,
    taken,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return witness;
}
