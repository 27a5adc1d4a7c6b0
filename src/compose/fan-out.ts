import type { Events } from "../ports/events.ts";

/** Calls every listener; one that throws keeps nothing from the others, nor from whoever emits. */
export function createFanOut(listeners: readonly Events[]): Events {
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener.emit(event);
        } catch {
          // A lost event changes nothing.
        }
      }
    },
  };
}
