import { existsSync } from "node:fs";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../ports.ts";
import { paths } from "./incident-scenario.ts";

interface IncidentReceiverOptions {
  /** 0: any. */
  readonly port: number;
  /** It is down while this file exists: whoever removes it has mended the receiver. */
  readonly downFile: string;
  /** Called with the text of each message to the pager. */
  readonly onPage: (text: string) => void;
}

const down = { status: 503, body: { error: "no connection to the database" } };
const up = { status: 200, body: {} };

/** Answers for every name below localhost, and is the pager too. Rejects if the port is taken. */
export async function startIncidentReceiver({ port, downFile, onPage }: IncidentReceiverOptions) {
  const server = http.createServer((request, response) => {
    const respond = (body: Buffer): void => {
      const answer = toAnswer(request, body);
      response.writeHead(answer.status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer.body));
    };
    buffer(request).then(respond, () => response.destroy());
  });

  function toAnswer(request: http.IncomingMessage, body: Buffer): { status: number; body: object } {
    if (request.url === "/pager") {
      onPage(toText(body));
      return up;
    }
    if (!existsSync(downFile)) return up;
    if (!request.url?.startsWith(paths.contacts)) return down;
    const { contact } = JSON.parse(body.toString("utf8")) as { readonly contact: number };
    return { status: 422, body: { error: `no such contact: ${contact}` } };
  }

  return {
    port: await listen(server, port),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** The form `slack` escapes what a chat would read as markup. */
const toText = (body: Buffer): string =>
  (JSON.parse(body.toString("utf8")) as { readonly text: string }).text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
