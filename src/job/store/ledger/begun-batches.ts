import type { DlqId } from "../../message/dead-letter.ts";
import type { Token } from "../../contracts/ids.ts";

/** What one `begin` put into a batch record, in its order. */
export interface BegunBatch {
  readonly token: Token;
  readonly dlqIds: readonly DlqId[];
}

/** More than a process has on their way. Those that never went on as a whole are among them. */
const most = 256;

/**
 * The batches that this process has begun. A later call names a whole one by its token. One that is forgotten, or
 * that another process began, is named by its ids.
 */
export function createBegunBatches() {
  const byFirstId = new Map<DlqId | undefined, BegunBatch>();
  return {
    add(batch: BegunBatch): void {
      byFirstId.set(batch.dlqIds[0], batch);
      const [oldest] = byFirstId.keys();
      if (byFirstId.size > most) byFirstId.delete(oldest);
    },
    forget(batch: BegunBatch): void {
      if (byFirstId.get(batch.dlqIds[0]) === batch) byFirstId.delete(batch.dlqIds[0]);
    },
    /** Batches of which all ids are given, one after another, and all other ids. */
    split(dlqIds: readonly DlqId[]) {
      const whole: BegunBatch[] = [];
      const rest: DlqId[] = [];
      for (let from = 0; from < dlqIds.length;) {
        const batch = byFirstId.get(dlqIds[from]);
        if (batch !== undefined && isAt(batch, dlqIds, from)) {
          whole.push(batch);
          from += batch.dlqIds.length;
        } else {
          rest.push(dlqIds[from]!);
          from += 1;
        }
      }
      return { whole, rest };
    },
  };
}

/** True if its ids are among the others, one after another from there on. */
function isAt({ dlqIds }: BegunBatch, others: readonly DlqId[], from: number): boolean {
  for (let at = 0; at < dlqIds.length; at += 1) if (dlqIds[at] !== others[from + at]) return false;
  return true;
}
