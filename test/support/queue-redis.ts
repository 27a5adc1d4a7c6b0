import { systemClock } from "../../src/system-world.ts";
import { createBullmqQueue, type QueueOptions } from "../../src/job/queue/bullmq-queue.ts";
import { toBullmqConnection } from "../../src/job/redis/connect.ts";
import { recordEvents } from "./record-events.ts";

export { recordEvents, type RecordedEvents } from "./record-events.ts";

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
