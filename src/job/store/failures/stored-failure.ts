import type { RecordedFailure } from "../../contracts/failures.ts";

/** As scripts keep a kind: an absent status or sample stands for null. */
export type StoredFailure = Omit<RecordedFailure, "id" | "status" | "sample"> &
  Partial<Pick<RecordedFailure, "status" | "sample">>;

export function toRecorded(
  id: string,
  { status = null, sample = null, ...kind }: StoredFailure,
): RecordedFailure {
  return { id, status, sample, ...kind };
}
