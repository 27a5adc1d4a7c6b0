import { systemClock } from "../../src/system-world.ts";
import type { RedriverEvent } from "../../src/job/contracts/events.ts";
import { createBullmqQueue, type QueueOptions } from "../../src/job/queue/bullmq-queue.ts";
import { toBullmqConnection } from "../../src/job/redis/connect.ts";

export type RecordedEvents = ReturnType<typeof recordEvents>;

export function recordEvents() {
  const all: RedriverEvent[] = [];
  return {
    all,
    emit: (event: RedriverEvent) => void all.push(event),
    of: <Type extends RedriverEvent["type"]>(type: Type) =>
      all.filter((event): event is Extract<RedriverEvent, { type: Type }> => event.type === type),
  };
}

export function openQueue(url: string, options: Partial<QueueOptions> & { readonly keyPrefix: string }) {
  const events = recordEvents();
  const queue = createBullmqQueue({
    createConnection: (role) => toBullmqConnection({ url }, role),
    clock: systemClock,
    events,
    retry: { attempts: 3, baseMs: 20, capMs: 50 },
    ...options,
  });
  queue.allow({ short: 4, windows: 4 });
  return { queue, events };
}
