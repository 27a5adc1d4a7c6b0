import type { RedisConnection } from "../../src/redis/connect.ts";
import { sourceId } from "../soak/document.ts";
import type { Declarations } from "./declarations.ts";

/** An entry of the stream, as far as it is looked at: act, and groups of ids with their reason and notes. */
interface Stored {
  readonly a: string;
  readonly g?: readonly {
    readonly i: readonly string[];
    readonly e?: string;
    readonly x?: readonly string[];
  }[];
}

/** Reads what has come to the audit in Redis since the last time. Rejects while Redis is away. */
export function createAuditReading(
  declarations: Declarations,
): (connection: RedisConnection) => Promise<void> {
  let after = "0";
  return async (connection) => {
    for (;;) {
      const entries = (await connection.command(
        "XRANGE",
        `${connection.keyPrefix}:v1:{${sourceId}}:audit`,
        `(${after}`,
        "+",
        "COUNT",
        500,
      )) as readonly (readonly [string, readonly string[]])[];
      for (const [id, fields] of entries) {
        after = id;
        const text = fields[fields.indexOf("e") + 1] ?? "{}";
        const { a: act, g: groups = [] } = JSON.parse(text) as Stored;
        const records = groups.flatMap(({ i, e = "", x = [] }) =>
          i.map((dlqId) => ({ dlqId, reason: e, notes: x })),
        );
        // An entry's id begins with the time at which Redis took it.
        declarations.note("redis", { act, records }, Number(id.split("-")[0]));
      }
      if (entries.length < 500) return;
    }
  };
}
