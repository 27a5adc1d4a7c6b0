import { buildConnector, Client } from "undici";
import { lookup } from "./loopback.ts";

export interface DestinationConnection {
  readonly origin: string;
  readonly client: Client;
}

/**
 * Connections to destinations, one call at a time each. They are kept for the next call to the same origin;
 * where there would be more than `limit` of them, used and idle together, the one that has been idle longest
 * ends. An agent with a pool for each origin bounds only those of one origin.
 */
export class DestinationConnections {
  readonly #limit: number;
  readonly #connect = buildConnector({ timeout: 5_000, lookup });
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
