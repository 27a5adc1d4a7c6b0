import { once } from "node:events";

/** A place at which somebody is stopped once. Not released, he has died there. */
export interface Stop {
  /** Resolves when he is there. */
  readonly reached: Promise<void>;
  release(): void;
}

interface Armed extends Stop {
  readonly place: string;
  readonly pass: () => Promise<void>;
}

/** Stops around calls, by the name of the call. */
export function createStops(): {
  add(call: string, moment: "before" | "after"): Stop;
  /** `after`: the call has ended well, and nobody has seen its answer. */
  around<Answer>(call: string, made: () => Promise<Answer>): Promise<Answer>;
} {
  const armed: Armed[] = [];
  const pass = async (place: string): Promise<void> => {
    const next = armed.findIndex((stop) => stop.place === place);
    const [stop] = next === -1 ? [] : armed.splice(next, 1);
    await stop?.pass();
  };
  return {
    add(call, moment) {
      const [arrival, leave] = [new AbortController(), new AbortController()];
      const reached = once(arrival.signal, "abort").then(() => undefined);
      const released = once(leave.signal, "abort").then(() => undefined);
      const stop: Armed = {
        place: `${moment} ${call}`,
        reached,
        release: () => leave.abort(),
        pass: () => {
          arrival.abort();
          return released;
        },
      };
      armed.push(stop);
      return stop;
    },
    async around(call, made) {
      await pass(`before ${call}`);
      const answer = await made();
      await pass(`after ${call}`);
      return answer;
    },
  };
}
