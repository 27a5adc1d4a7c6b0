/**
 * The reply, or a rejection with `toError()` after `ms`. The call itself goes on. A process that stood still for
 * longer than `ms` (no CPU, a long collection) reads what has come meanwhile before it gives up: Node runs
 * timers first, then sockets, then immediates. A stall beyond the socket's own timeout still drops the socket.
 */
export async function withinMs<Reply>(
  reply: Promise<Reply>,
  ms: number,
  toError: () => Error,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  let lastLook: NodeJS.Immediate | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      lastLook = setImmediate(() => reject(toError()));
    }, ms);
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
    clearImmediate(lastLook);
  }
}
