import { BoundedSet } from "../../../bounded-map.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { CopyBook } from "../../contracts/copy-book.ts";
import { unlessRedisAway } from "../../contracts/errors.ts";

/** About 100 bytes each. What was copied before that many others is asked for again in the shared book. */
const maxRemembered = 100_000;

/**
 * Goes on while the shared book cannot be read or written: by what this process has copied, or has seen as copied. What
 * could not be recorded is recorded with the next that can.
 */
export function rememberCopies(shared: CopyBook): CopyBook {
  const known = new BoundedSet<DlqId>(maxRemembered);
  const unrecorded = new BoundedSet<DlqId>(maxRemembered);

  const recordAll = async (): Promise<void> => {
    const ids = [...unrecorded];
    if (ids.length === 0) return;
    await unlessRedisAway(async () => {
      await shared.copied(ids);
      for (const dlqId of ids) unrecorded.delete(dlqId);
    }, undefined);
  };

  return {
    async missing(dlqIds) {
      await recordAll();
      const missing = new Set(await unlessRedisAway(() => shared.missing(dlqIds), dlqIds));
      for (const dlqId of dlqIds) {
        if (!missing.has(dlqId)) known.add(dlqId);
        // What the shared one has lost is recorded again.
        else if (known.has(dlqId)) unrecorded.add(dlqId);
      }
      return dlqIds.filter((dlqId) => missing.has(dlqId) && !known.has(dlqId));
    },
    async copied(dlqIds) {
      for (const dlqId of dlqIds) {
        known.add(dlqId);
        unrecorded.add(dlqId);
      }
      await recordAll();
    },
  };
}
