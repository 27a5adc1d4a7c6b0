interface Waiting<Receipt> {
  readonly text: string;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Serialises commits. Additions wait while one runs, and are then committed together. Each `add` resolves or
 * rejects with its commit. `maxLength` in UTF-16 units: longer additions are split over several commits. One
 * text alone may be longer.
 */
export function createGroupCommit<Receipt>(commit: (text: string) => Promise<Receipt>, maxLength: number) {
  const waiting: Waiting<Receipt>[] = [];
  let running: Promise<void> | null = null;

  const takeGroup = (): readonly Waiting<Receipt>[] => {
    let length = 0;
    const end = waiting.findIndex(({ text }, index) => {
      length += text.length;
      return index > 0 && length > maxLength;
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = takeGroup();
      try {
        const receipt = await commit(group.map(({ text }) => text).join(""));
        for (const one of group) one.resolve(receipt);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    running = null;
  };

  return {
    add: (text: string): Promise<Receipt> =>
      new Promise((resolve, reject) => {
        waiting.push({ text, resolve, reject });
        running ??= run();
      }),
    idle: (): Promise<void> => running ?? Promise.resolve(),
  };
}
