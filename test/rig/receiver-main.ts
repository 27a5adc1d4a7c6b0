/** A receiver in a process of its own. It records every request. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { serveCalls } from "./child-calls.ts";
import { idOf } from "./letters.ts";
import { poisonPrefix, refusalOf, type Arrival, type Behaviour } from "./receiver-messages.ts";

const arrivals: Arrival[] = [];
let behaviour: Behaviour = { manner: "up", delayMs: 0 };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => void answer(request, Buffer.concat(chunks), response));
});
server.keepAliveTimeout = 60_000;

async function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const id = idOf(body);
  const record = (status: number): void => {
    const bodySha256 = createHash("sha256").update(body).digest("hex");
    arrivals.push({
      at: Date.now(),
      id,
      bytes: body.byteLength,
      bodySha256,
      status,
      sentAs: sentAs(request),
    });
  };
  if (behaviour.manner === "hanging") return record(0);
  if (behaviour.delayMs > 0) await delay(behaviour.delayMs);
  const status = behaviour.manner === "refusing" ? 503 : id.startsWith(poisonPrefix) ? 422 : 200;
  record(status);
  response.writeHead(status).end(status === 422 ? refusalOf(id) : "");
}

/** Read from what travels with the message, `v1.<payload>.<tag>`, with nothing of redriver's. */
function sentAs({ headers }: IncomingMessage): Arrival["sentAs"] {
  const [, payload] = String(headers["x-redriver"] ?? "").split(".");
  if (payload === undefined) return "first";
  const { k } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { readonly k?: number };
  return k === 1 ? "canary" : "plain";
}

async function listen(port: number): Promise<void> {
  if (server.listening) return;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

/** A port that no connection of a neighbour gets by itself, so that it is free again after a time of `closed`. */
async function listenBelowEphemeral(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    try {
      await listen(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}

async function close(): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

process.once("disconnect", () => process.exit(0));
/** The same ever after. */
const port = await listenBelowEphemeral();
const calls = {
  /** Done when it is answered. */
  async behave(next: Behaviour): Promise<void> {
    behaviour = next;
    if (next.manner === "closed") await close();
    else await listen(port);
  },
  /** Arrivals from this number on, oldest first. */
  log: (after: number): readonly Arrival[] => arrivals.slice(after),
};
serveCalls(calls, { url: `http://127.0.0.1:${port}` });
