import type { EventOf, RedriverEvent } from "../../src/job/contracts/events.ts";

export type RecordsType = Extract<RedriverEvent, { records: readonly unknown[] }>["type"];
/** One record of such an event, with what all of its records share. */
export type RecordOf<Type extends RecordsType> = Omit<EventOf<Type>, "records"> &
  EventOf<Type>["records"][number];

/** What was reported of each record, in order. */
export function recordsOf<Type extends RecordsType>(
  events: readonly RedriverEvent[],
  type: Type,
): RecordOf<Type>[] {
  return events.flatMap((event) => {
    if (event.type !== type) return [];
    const { records, ...common } = event as EventOf<RecordsType>;
    return records.map((one) => ({ ...common, ...one }) as unknown as RecordOf<Type>);
  });
}
