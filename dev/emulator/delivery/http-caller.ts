import { buildConnector, Client, request } from "undici";
import { canonicalName } from "../publish/header-values.ts";
import { emptyHeaderMap, type HeaderMap } from "../publish/message.ts";
import { lookup } from "./loopback.ts";

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

interface DestinationConnection {
  readonly origin: string;
  readonly client: Client;
}

/**
 * Connections to destinations, one call at a time each. They are kept for the next call to the same origin;
 * where there would be more than `limit` of them, used and idle together, the one that has been idle longest
 * ends. An agent with a pool for each origin bounds only those of one origin.
 */
class DestinationConnections {
  readonly #limit: number;
  /** The first address of a name gets all the time: after 250 ms a busy process would give it up. */
  readonly #connect = buildConnector({ timeout: 5_000, autoSelectFamilyAttemptTimeout: 5_000, lookup });
  readonly #all = new Set<DestinationConnection>();
  /** Longest idle first. */
  #idle: DestinationConnection[] = [];

  /** `limit`: how many callers there are at most at once. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** For one call, after which it is given back. */
  take(origin: string): DestinationConnection {
    const at = this.#idle.findLastIndex((idle) => idle.origin === origin);
    if (at !== -1) return this.#idle.splice(at, 1)[0]!;
    const oldest = this.#idle[0];
    if (oldest !== undefined && this.#all.size >= this.#limit) this.#end(oldest);
    const connection = { origin, client: new Client(origin, { connect: this.#connect }) };
    this.#all.add(connection);
    connection.client.on("disconnect", () => {
      if (this.#idle.includes(connection)) this.#end(connection);
    });
    return connection;
  }

  give(connection: DestinationConnection): void {
    if (connection.client.stats.connected) this.#idle.push(connection);
    else this.#end(connection);
  }

  async close(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    this.#idle = [];
    await Promise.all(all.map(({ client }) => client.destroy()));
  }

  #end(connection: DestinationConnection): void {
    this.#idle = this.#idle.filter((idle) => idle !== connection);
    if (this.#all.delete(connection)) void connection.client.destroy();
  }
}

/**
 * Calls destinations over connections that are kept. Every failure is an `Attempt`; it never rejects.
 * Redirects are answers like others, and a compressed body stays as it came. Headers are bounded by Node's
 * limit (16 KiB), the body by what is kept of it, everything together by the timeout.
 */
export class HttpCaller {
  readonly #connections: DestinationConnections;
  readonly #maxResponseBytes: number;

  constructor(maxConnections: number, maxResponseBytes: number) {
    this.#connections = new DestinationConnections(maxConnections);
    this.#maxResponseBytes = maxResponseBytes;
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
