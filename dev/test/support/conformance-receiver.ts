import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The destination of the conformance suite. Its paths say how it answers:
 *
 *   /status/{n}…         status n and the text "status n"
 *   /binary/{n}…         status n and the bytes ff fe 00 80, which are not UTF-8
 *   /echo/{n}…           status n and what arrived, as JSON: {method, url, headers, body}
 *   /keep/{name}/{n}…    status n; what arrived is remembered, with the moments of arrival and answer
 *   /kept/{name}         status 200 and the JSON array of what was remembered under that name
 *
 * What follows in the path is ignored. The parameter `delayMs` holds the answer back; any other becomes an
 * answer header.
 */
export interface Kept {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly arrivedAt: number;
  /** 0 while it is held back. */
  answeredAt: number;
}

export interface ConformanceReceiver extends AsyncDisposable {
  readonly url: string;
}

const notUtf8 = Buffer.from([0xff, 0xfe, 0x00, 0x80]);

export async function startConformanceReceiver(): Promise<ConformanceReceiver> {
  const kept = new Map<string, Kept[]>();
  const server = createServer((request, response) => {
    answer(request, response, kept).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  kept: Map<string, Kept[]>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = request.url ?? "/";
  const { pathname, searchParams } = new URL(url, "http://receiver");
  const [, kind = "", first = "", second = ""] = pathname.split("/");
  const arrived: Kept = {
    method: request.method ?? "",
    url,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? ""),
      ]),
    ),
    body: Buffer.concat(chunks).toString("utf8"),
    arrivedAt: Date.now(),
    answeredAt: 0,
  };
  if (kind === "kept") {
    response.end(JSON.stringify(kept.get(first) ?? []));
    return;
  }
  if (kind === "keep") kept.set(first, [...(kept.get(first) ?? []), arrived]);
  const { delayMs = "0", ...headers } = Object.fromEntries(searchParams);
  if (Number(delayMs) > 0) await new Promise((resolve) => setTimeout(resolve, Number(delayMs)));
  arrived.answeredAt = Date.now();
  const status = Number(kind === "keep" ? second : first);
  response.writeHead(status, headers).end(bodyOf(kind, status, arrived));
}

function bodyOf(kind: string, status: number, { method, url, headers, body }: Kept): string | Buffer {
  if (kind === "binary") return notUtf8;
  if (kind === "echo") return JSON.stringify({ method, url, headers, body });
  return `status ${status}`;
}
