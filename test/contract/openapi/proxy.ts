import { once } from "node:events";
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange, SeenAnswer, SeenHeaders } from "./exchange.ts";

/** A reverse proxy on loopback. It changes nothing, and hands on an end of the connection as well. */
export interface Proxy {
  readonly url: string;
  /** Where requests go from now on; before that each is answered 502. */
  pointTo(url: string): void;
  close(): Promise<void>;
}

/** `onExchange` is called as soon as an answer is whole, or cannot become whole any more. */
export async function startProxy(onExchange: (exchange: Exchange) => void): Promise<Proxy> {
  let target: URL | null = null;
  const server = createServer((incoming, outgoing) => {
    if (target === null) return void outgoing.writeHead(502).end();
    forward(target, incoming, outgoing, onExchange);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    pointTo: (url) => void (target = new URL(url)),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function forward(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onExchange: (exchange: Exchange) => void,
): void {
  const sent = collect(incoming);
  const report = (answer: SeenAnswer | null): void => {
    const [path = "", query = ""] = splitOnce(incoming.url ?? "", "?");
    const { method = "" } = incoming;
    const headers = toSeenHeaders(incoming);
    onExchange({ request: { method, path, query, headers, body: Buffer.concat(sent) }, answer });
  };
  // A connection for each call: one that is kept could end just as it is used, which would be a fault of ours.
  const { hostname, port } = target;
  const call = sendRequest(
    { hostname, port, method: incoming.method, path: incoming.url, agent: false, headers: onward(incoming) },
    (answer) => {
      const received = collect(answer);
      outgoing.sendDate = false;
      outgoing.writeHead(answer.statusCode ?? 0, answer.statusMessage, onward(answer));
      answer.pipe(outgoing);
      answer.on("end", () => {
        report({
          status: answer.statusCode ?? 0,
          headers: toSeenHeaders(answer),
          body: Buffer.concat(received),
        });
      });
      answer.on("error", () => {
        report(null);
        outgoing.destroy();
      });
    },
  );
  call.on("error", () => {
    if (outgoing.headersSent) return;
    report(null);
    outgoing.destroy();
  });
  incoming.pipe(call);
  // Whoever asked is gone: "close" follows.
  incoming.on("error", () => undefined);
  outgoing.on("error", () => undefined);
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) call.destroy();
  });
}

function collect(message: IncomingMessage): readonly Buffer[] {
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}

/** Those of a connection are of this one alone. */
const ofConnection: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** Names and values in turn, as they came. */
function onward({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => !ofConnection.has(rawHeaders[index - (index % 2)]!.toLowerCase()));
}

function toSeenHeaders({ headersDistinct }: IncomingMessage): SeenHeaders {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values ?? []]));
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
