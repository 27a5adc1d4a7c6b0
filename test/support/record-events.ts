import type { EventOf, RedriverEvent } from "../../src/job/contracts/events.ts";

type RecordsType = Extract<RedriverEvent, { records: readonly unknown[] }>["type"];
/** One record of such an event, with what all of its records share. */
type RecordOf<Type extends RecordsType> = Omit<EventOf<Type>, "records"> & EventOf<Type>["records"][number];

/** What was reported of each record, in order. */
function recordsOf<Type extends RecordsType>(events: readonly RedriverEvent[], type: Type): RecordOf<Type>[] {
  return events.flatMap((event) => {
    if (event.type !== type) return [];
    const { records, ...common } = event as EventOf<RecordsType>;
    return records.map((one) => ({ ...common, ...one }) as unknown as RecordOf<Type>);
  });
}

export type RecordedEvents = ReturnType<typeof recordEvents>;

export function recordEvents() {
  const all: RedriverEvent[] = [];
  return {
    all,
    emit: (event: RedriverEvent) => void all.push(event),
    of: <Type extends RedriverEvent["type"]>(type: Type) =>
      all.filter((event): event is Extract<RedriverEvent, { type: Type }> => event.type === type),
    recordsOf: <Type extends RecordsType>(type: Type): RecordOf<Type>[] => recordsOf(all, type),
  };
}
