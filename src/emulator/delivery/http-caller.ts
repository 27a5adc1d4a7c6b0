import { request } from "undici";
import { canonicalName } from "../publish/header-values.ts";
import { emptyHeaderMap, type HeaderMap } from "../publish/message.ts";
import { DestinationConnections, type DestinationConnection } from "./destination-connections.ts";

export interface CallRequest {
  readonly url: string;
  readonly method: string;
  readonly header: HeaderMap;
  readonly body: Buffer;
  readonly timeoutMs: number;
}

/** What came of one attempt. `status` is 0 where there was no HTTP answer; then `error` says why. */
export interface Attempt {
  readonly status: number;
  readonly header: HeaderMap;
  readonly body: Buffer;
  readonly error?: string | undefined;
}

export const noAnswer = (error: string): Attempt => ({
  status: 0,
  header: emptyHeaderMap(),
  body: Buffer.alloc(0),
  error,
});

// The longest a timer sleeps, 24.8 days; with more it would fire at once.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Calls destinations over connections that are kept. Every failure is an `Attempt`; it never rejects.
 * Redirects are answers like others, and a compressed body stays as it came. Headers are bounded by Node's
 * limit (16 KiB), the body by what is kept of it, everything together by the timeout.
 */
export class HttpCaller {
  readonly #connections: DestinationConnections;
  readonly #maxResponseBytes: number;

  constructor(options: { connections: number; maxResponseBytes: number }) {
    this.#connections = new DestinationConnections(options.connections);
    this.#maxResponseBytes = options.maxResponseBytes;
  }

  async call({ url, method, header, body, timeoutMs }: CallRequest): Promise<Attempt> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.min(timeoutMs, maxTimerMs));
    let connection: DestinationConnection | undefined;
    try {
      connection = this.#connections.take(new URL(url).origin);
      const response = await request(url, {
        dispatcher: connection.client,
        method,
        headers: header,
        body: body.length === 0 ? null : body,
        signal: deadline.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return {
        status: response.statusCode,
        header: toHeaderMap(response.headers),
        body: await this.#read(response.body),
      };
    } catch (error) {
      return noAnswer(deadline.signal.aborted ? `no answer within ${timeoutMs} ms` : describe(error));
    } finally {
      clearTimeout(timer);
      if (connection !== undefined) this.#connections.give(connection);
    }
  }

  /** Ends what is in flight; those attempts count as failed. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  async #read(body: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let room = this.#maxResponseBytes;
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, room));
      room -= chunk.length;
      if (room <= 0) break;
    }
    return Buffer.concat(chunks);
  }
}

function toHeaderMap(headers: Readonly<Record<string, string | string[] | undefined>>): HeaderMap {
  const map = emptyHeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map[canonicalName(name)] = typeof value === "string" ? [value] : value;
  }
  return map;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `${code}: ${error.message}`;
}
