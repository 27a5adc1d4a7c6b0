import type { Queue } from "bullmq";

export interface RenewedQueue {
  current(): Queue;
  close(): Promise<void>;
}

/**
 * A queue says its first words to Redis as it is made; where those fail (a connection that breaks just then, a user that may not
 * say them), the library keeps it unusable for ever. So it is made anew at the next call.
 */
export function createRenewedQueue(make: () => Queue): RenewedQueue {
  let isUsable = true;
  let queue = open();

  function open(): Queue {
    const made = make();
    isUsable = true;
    made.waitUntilReady().catch(() => {
      if (made === queue) isUsable = false;
    });
    return made;
  }

  return {
    current() {
      if (isUsable) return queue;
      // Its own close would wait for what failed; the connection is shared and stays.
      queue = open();
      return queue;
    },
    close: () => queue.close(),
  };
}
