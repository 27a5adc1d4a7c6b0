import { createHash } from "node:crypto";
import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import { hostOf } from "../message/destination-url.ts";
import { toEnteredAt } from "../message/parse-record.ts";
import { isNestedTooDeep, maxNestedLevels } from "../message/write-safe-json.ts";
import type { Archive } from "../contracts/archive.ts";
import { isRedriverError, toFailure } from "../contracts/errors.ts";
import { byHalves } from "../by-halves.ts";
import { recordFact, type ActOf } from "../write-audit.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Each once. Neither a failing archive nor Redis stops anything: the census counts what has no copy. */
export async function keepCopies(
  source: SourceRuntime,
  records: readonly RawRecord[],
  { archive, ...of }: ActOf & { readonly archive: Archive | null },
): Promise<void> {
  if (archive === null || archive.problem()?.isResting || records.length === 0) return;
  await byHalves(
    records,
    (some) => keepSome(source, some, archive, of),
    async (_, error) => {
      const message = `a record cannot be copied (${toFailure(error).code})`;
      source.events.emit({ type: "archive:failed", source: source.config.id, message });
    },
  );
}

async function keepSome(source: SourceRuntime, records: readonly RawRecord[], archive: Archive, of: ActOf) {
  const near = new Map<DlqId, RawRecord>();
  for (const raw of records) {
    const key = copyKeyOf(raw);
    if (key !== null) near.set(key, raw);
  }
  if (near.size === 0) return;
  const missing = await source.copies.missing([...near.keys()]);
  // One that is nested too deep must not stop the copies of its page.
  const keys = missing.filter((key) => !isNestedTooDeep(near.get(key)));
  reportUnwritable(source, missing.length - keys.length);
  const { drain } = of;
  const why = "near-expiry";
  const kept = { at: source.clock.now(), why, drain, rule: null, source: source.config.id } as const;
  const [first, ...rest] = keys.map((key) => {
    const record = near.get(key) ?? {};
    return { ...kept, dlqId: record["dlqId"] as DlqId, record };
  });
  if (first === undefined) return;
  const acts = keys.map((dlqId) => {
    const url = near.get(dlqId)?.["url"];
    return { dlqId, reason: why, ...(typeof url === "string" ? { host: hostOf(url) } : {}) };
  });
  await recordFact(source, "copy", acts, of);
  try {
    await archive.write([first, ...rest]);
  } catch (error) {
    if (!isRedriverError(error) || error.code !== "archive-unavailable") throw error;
    source.events.emit({ type: "archive:failed", source: source.config.id, message: error.message });
    return;
  }
  await source.copies.copied(keys);
  source.events.emit({ type: "archive:copied", source: source.config.id, drain, count: keys.length });
}

/** A copy's name in Redis and the audit. An odd id may hold anything, so its hash is the name. Null without an id. */
export function copyKeyOf({ dlqId }: RawRecord): DlqId | null {
  if (typeof dlqId !== "string" || dlqId === "") return null;
  if (toEnteredAt(dlqId) !== null) return dlqId as DlqId;
  return `id_hash-${createHash("sha256").update(dlqId).digest("hex").slice(0, 24)}` as DlqId;
}

/** Reports records that are not in the archive because they are nested too deep for JSON. */
export function reportUnwritable({ events, config }: SourceRuntime, count: number): void {
  if (count === 0) return;
  const message = `expected records nested at most ${maxNestedLevels} levels deep, got ${count} deeper: not kept, so neither dropped nor copied`;
  events.emit({ type: "archive:failed", source: config.id, message });
}
