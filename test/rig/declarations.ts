import type { RedisConnection } from "../../src/job/redis/connect.ts";

/** Notes by which redriver says, before a POST, that its series may double an earlier one. */
const seriesNotes: ReadonlySet<string> = new Set(["unknown-outcome-past-window", "released-past-window"]);

/** The reason of a publish that may double one of which Redis lost what was written. */
export const lossReason = "after-ledger-loss";

/**
 * redriver said in the audit that its next publish of a dead letter may be a double. `double-found` is none:
 * it is said afterwards, and says of no case that it was one of the declared ones.
 */
export interface Declaration {
  /** A note of its series, or `lossReason`. */
  readonly why: string;
  /** Written between these, Unix ms. */
  readonly earliest: number;
  readonly latest: number;
}

export type Declarations = ReturnType<typeof createDeclarations>;

export interface AuditEntryText {
  readonly act: string;
  readonly records: readonly {
    readonly dlqId: string;
    readonly reason?: string;
    readonly notes?: readonly string[];
  }[];
}

/**
 * From a daemon's writing a line to its reading here, on a busy machine. A POST's audit is written before it.
 */
export const longestPipeMs = 5_000;

/** `now`: Unix ms. */
export function createDeclarations(now: () => number) {
  const declared = new Map<string, Declaration[]>();
  const audited = new Map<string, { readonly act: string; readonly at: number; readonly text: string }[]>();
  return {
    /**
     * An entry of the audit, as it stood in a log line or in Redis. Each entry is in both; neither alone
     * survives everything. `at`: when Redis took it, Unix ms; a log line is taken for as old as it may be,
     * because the clock of the daemon that wrote it may be moved.
     */
    record(where: "log" | "redis", { act, records }: AuditEntryText, at = now()): void {
      const earliest = where === "log" ? at - longestPipeMs : at;
      for (const { dlqId, reason = "", notes = [] } of records) {
        const words = [act, reason, ...notes].filter((word) => word !== "");
        append(audited, dlqId, { act, at, text: `${words.join(" ")} (${where}, ${at})` });
        if (act !== "republish") continue;
        const whys = notes.filter((note) => seriesNotes.has(note));
        for (const why of reason === lossReason ? [...whys, reason] : whys) {
          append(declared, dlqId, { why, earliest, latest: at });
        }
      }
    },
    /** In no order; one that was found in both places is there twice. */
    of: (dlqId: string): readonly Declaration[] => declared.get(dlqId) ?? [],
    /** Whether the audit has this act of it. */
    has: (act: string, dlqId: string): boolean => (audited.get(dlqId) ?? []).some((one) => one.act === act),
    /** All that the audit says of a dead letter, for people. */
    story: (dlqId: string): string =>
      (audited.get(dlqId) ?? [])
        .toSorted((one, other) => one.at - other.at)
        .map(({ text }) => text)
        .join(", ") || "nothing",
  };
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

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
  sourceId: string,
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
        declarations.record("redis", { act, records }, Number(id.split("-")[0]));
      }
      if (entries.length < 500) return;
    }
  };
}
