import type { DlqId } from "../message/dead-letter.ts";

/**
 * The dead letters near their expiry that have been copied already, shared by all replicas.
 *
 * Guarantees: a record is known as long as somebody asks about it from time to time, and then forgotten. A
 * loss costs a second copy. Fails with `redis-unavailable`, unless an implementation remembers for its
 * process what it could not read or record.
 */
export interface CopyBook {
  missing(dlqIds: readonly DlqId[]): Promise<readonly DlqId[]>;
  copied(dlqIds: readonly DlqId[]): Promise<void>;
}
