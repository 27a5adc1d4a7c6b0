import type { Events } from "../job/contracts/events.ts";

/** Calls every listener. One that throws stops neither the others nor the emitter. */
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
