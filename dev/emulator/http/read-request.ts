import type { IncomingMessage } from "node:http";
import { EmulatorRefusal } from "../refusal.ts";

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rawQuery: string;
  /** All of them: names in lower case, each with its values in the order they came. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Address of the peer; an IPv4 address is written as such. */
  readonly remoteAddress: string;
}

/** Reads the request; a body over `maxBodyBytes` is refused with 413 without being kept. */
export async function readExchange(request: IncomingMessage, maxBodyBytes: number): Promise<Exchange> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const rawQuery = mark < 0 ? "" : target.slice(mark + 1);
  const tooLarge = `request body exceeds ${maxBodyBytes} bytes`;
  // Refused by its announced length the answer still reaches the client; refused while reading it may not.
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw new EmulatorRefusal(413, tooLarge);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new EmulatorRefusal(413, tooLarge);
    chunks.push(chunk);
  }
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(rawQuery),
    rawQuery,
    headers: toHeaders(request.rawHeaders),
    body: Buffer.concat(chunks),
    remoteAddress: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
  };
}

/** Node's own `headersDistinct` throws at a header named `__proto__` (seen in 20.19.0). */
function toHeaders(raw: readonly string[]): Exchange["headers"] {
  const headers: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    (headers[(raw[index] ?? "").toLowerCase()] ??= []).push(raw[index + 1] ?? "");
  }
  return headers;
}
