import type { IncomingMessage } from "node:http";
import type { Operation } from "../journal.ts";
import { EmulatorRefusal } from "../refusal.ts";

/** One request, read to its end. */
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

export interface EmulatorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Ends a connection politely (FIN) or not (RST). */
export type Close = "fin" | "reset";

/** Instead of an answer: the connection ends, at once or in the middle of the given answer. */
interface HangUp {
  readonly hangUp: Close;
  readonly inTheMiddleOf?: EmulatorAnswer;
}

/** An answer that stops half way until it may go on; where it may not, the connection ends. */
interface AnswerPause {
  readonly pauseIn: EmulatorAnswer;
  readonly goesOn: Promise<boolean>;
}

export type Reply = EmulatorAnswer | HangUp | AnswerPause;

export const json = (
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): EmulatorAnswer => ({
  status,
  headers,
  body: JSON.stringify(value),
});

export const errorAnswer = (
  status: number,
  error: string,
  headers?: Record<string, string>,
): EmulatorAnswer => json(status, { error }, headers);

/** 404 if there is nothing. */
export const jsonOf = (value: unknown, what: string): EmulatorAnswer =>
  value === undefined ? errorAnswer(404, `${what} not found`) : json(200, value);

/** An error as the API of that operation words it: the statistics API has a form of its own. */
export const errorFor = (
  operation: Operation,
  status: number,
  error: string,
  headers?: Record<string, string>,
): EmulatorAnswer =>
  operation === "statistics"
    ? json(status, { code: status, message: error }, headers)
    : errorAnswer(status, error, headers);

/** The headers of a 429 with nothing left; `reset` is in unix seconds. */
export function limitHeaders(
  limit: "burst" | "daily",
  allowed: number,
  reset: number,
): Record<string, string> {
  const start = limit === "burst" ? "Burst-RateLimit" : "RateLimit";
  return {
    [`${start}-Limit`]: String(allowed),
    [`${start}-Remaining`]: "0",
    [`${start}-Reset`]: String(reset),
  };
}

/** The status that is sent; 0 where none is meant to arrive. */
export function statusOf(reply: Reply): number {
  if ("hangUp" in reply) return 0;
  return "pauseIn" in reply ? reply.pauseIn.status : reply.status;
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
    headers: request.headersDistinct,
    body: Buffer.concat(chunks),
    remoteAddress: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
  };
}
