import type { Audit, NewAuditEntry, ObserveAudit } from "../../contracts/audit.ts";

/** Entries that wait while nothing can be written. The oldest go first. */
const maxWaiting = 1_000;

/**
 * An Audit over something that writes. What `record` could not write waits here and goes before whatever is
 * written next. What `append` could not write is not kept, because its act does not happen. `observe` gets
 * each intent once it is written and before its act, and each fact at once; and again, as unwritten, if it could not be.
 * `written`: these were written in another way.
 */
export function createAuditOver(
  write: (entries: readonly NewAuditEntry[]) => Promise<void>,
  observe: ObserveAudit = () => undefined,
): Audit & { hasUnwritten(): boolean; written(entries: readonly NewAuditEntry[]): void } {
  const tell = (entries: readonly NewAuditEntry[], state?: "unwritten"): void =>
    entries.forEach((entry) => observe(entry, state));
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
    hasUnwritten: () => kept.length > 0,
    written: (entries) => tell(entries),
    async append(entries) {
      await writeAfterKept(entries);
      tell(entries);
    },
    async record(entries) {
      tell(entries);
      try {
        await writeAfterKept(entries);
      } catch {
        // Whatever it was, the next `append` meets it too and stops its act.
        kept = [...kept, ...entries].slice(-maxWaiting);
        tell(entries, "unwritten");
      }
    },
  };
}
