import type { RedisConnection } from "../../src/redis/connect.ts";
import { sourceId } from "./document.ts";
import type { Declarations } from "./declarations.ts";

/** An entry of the stream, as far as it is looked at: act, and groups of ids with their notes. */
interface Stored {
  readonly a: string;
  readonly g?: readonly { readonly i: readonly string[]; readonly x?: readonly string[] }[];
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
        const records = groups.flatMap(({ i, x = [] }) => i.map((dlqId) => ({ dlqId, notes: x })));
        declarations.note("redis", { act, records });
      }
      if (entries.length < 500) return;
    }
  };
}
