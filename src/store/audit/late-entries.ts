import type { Audit, NewAuditEntry } from "../../ports/audit.ts";

/** What is kept while nothing can be written is bounded: the oldest go first. */
const maxWaiting = 1_000;

/**
 * An Audit over something that writes. What `record` could not write waits here and goes before whatever is
 * written next; what `append` could not write is not kept, because its act does not happen.
 */
export function createAuditOver(write: (entries: readonly NewAuditEntry[]) => Promise<void>): Audit {
  let kept: readonly NewAuditEntry[] = [];

  const writeAfterKept = async (entries: readonly NewAuditEntry[]): Promise<void> => {
    // Taken out while it is on its way, so that two writes at once do not both write it.
    const waiting = kept;
    kept = [];
    try {
      await write([...waiting, ...entries]);
    } catch (error) {
      kept = [...waiting, ...kept].slice(-maxWaiting);
      throw error;
    }
  };

  return {
    append: writeAfterKept,
    async record(entries) {
      try {
        await writeAfterKept(entries);
      } catch {
        // Whatever it was, the next `append` meets it too and stops its act.
        kept = [...kept, ...entries].slice(-maxWaiting);
      }
    },
  };
}
