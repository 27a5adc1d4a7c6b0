/** The reply, or a rejection with `toError()` after `ms`. The call itself goes on. */
export async function withinMs<Reply>(
  reply: Promise<Reply>,
  ms: number,
  toError: () => Error,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(toError()), ms);
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
  }
}
