/** A receiver in a process of its own. It writes down every request, and what it is told over its channel is done before it is answered. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  poisonPrefix,
  refusalOf,
  type Arrival,
  type Behaviour,
  type FromReceiver,
  type ToReceiver,
} from "./receiver-messages.ts";

const arrivals: Arrival[] = [];
let behaviour: Behaviour = { standing: "up", perSecond: null };
/** When the last request that was taken is worked off, Unix ms. */
let freeAt = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => void answer(request, Buffer.concat(chunks).toString("utf8"), response));
});
server.keepAliveTimeout = 60_000;

async function answer(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
  const { id } = JSON.parse(body) as { readonly id: string };
  const note = (status: number): void => {
    arrivals.push({ at: Date.now(), id, status, sentAs: sentAs(request) });
  };
  if (behaviour.standing === "hanging") return note(0);
  if (behaviour.perSecond !== null) {
    freeAt = Math.max(Date.now(), freeAt) + 1_000 / behaviour.perSecond;
    await delay(freeAt - Date.now());
  }
  const status = behaviour.standing === "refusing" ? 503 : id.startsWith(poisonPrefix) ? 422 : 200;
  note(status);
  response.writeHead(status).end(status === 422 ? refusalOf(id) : "");
}

/** Read from what travels with the message, `v1.<payload>.<tag>`, with nothing of redriver's. */
function sentAs({ headers }: IncomingMessage): Arrival["sentAs"] {
  const [, payload] = String(headers["x-redriver"] ?? "").split(".");
  if (payload === undefined) return "first";
  const { k } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { readonly k?: number };
  return k === 1 ? "canary" : "plain";
}

async function behave(next: Behaviour): Promise<void> {
  behaviour = next;
  if (next.standing === "closed") await close();
  else await listen();
}

/** On the same port ever after the first time. */
async function listen(port = portOf()): Promise<void> {
  if (server.listening) return;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

let knownPort = 0;
function portOf(): number {
  const address = server.address() as AddressInfo | null;
  knownPort = address?.port ?? knownPort;
  return knownPort;
}

async function close(): Promise<void> {
  if (!server.listening) return;
  portOf();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

async function perform(message: ToReceiver): Promise<void> {
  if (message.ask === "behave") await behave(message.behaviour);
  const after = message.ask === "log" ? message.after : arrivals.length;
  tell({ kind: "answer", seq: message.seq, log: { arrivals: arrivals.slice(after) } });
}

function tell(message: FromReceiver): void {
  process.send?.(message);
}

process.on("message", (message) => void perform(message as ToReceiver));
process.once("disconnect", () => process.exit(0));
await listen(0);
tell({ kind: "ready", url: `http://127.0.0.1:${portOf()}` });
