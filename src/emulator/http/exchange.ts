import type { IncomingMessage } from "node:http";
import { Refusal } from "../refusal.ts";

/** One request, read to its end. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rawQuery: string;
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
  /** Address of the peer; an IPv4 address is written as such. */
  readonly remoteAddress: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Instead of an answer: the connection ends, at once or in the middle of the given answer. */
export interface HangUp {
  readonly hangUp: true;
  readonly inTheMiddleOf?: Answer;
}

export type Reply = Answer | HangUp;

export const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: JSON.stringify(value),
});

export const errorAnswer = (status: number, error: string, headers?: Record<string, string>): Answer =>
  json(status, { error }, headers);

export const isHangUp = (reply: Reply): reply is HangUp => "hangUp" in reply;

/** Reads the request; a body over `maxBodyBytes` is refused with 413 without being kept. */
export async function readExchange(request: IncomingMessage, maxBodyBytes: number): Promise<Exchange> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const rawQuery = mark < 0 ? "" : target.slice(mark + 1);
  const tooLarge = `request body exceeds ${maxBodyBytes} bytes`;
  // Refused by its announced length the answer still reaches the client; refused while reading it may not.
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw new Refusal(413, tooLarge);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Refusal(413, tooLarge);
    chunks.push(chunk);
  }
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(rawQuery),
    rawQuery,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body: Buffer.concat(chunks),
    remoteAddress: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
  };
}

/** The body as JSON, whatever its content type says. */
export function readJson(exchange: Exchange): unknown {
  try {
    return JSON.parse(exchange.body.toString("utf8")) as unknown;
  } catch {
    throw new Refusal(400, "request body is not valid JSON");
  }
}
