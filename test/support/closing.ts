export type Close = () => Promise<void>;

/** What has to be closed, each registered as soon as it is there. */
export interface Closing {
  add(close: Close): void;
  /** The last first, one after the other. */
  close: Close;
}

export function createClosing(): Closing {
  const all: Close[] = [];
  return {
    add: (close) => void all.push(close),
    async close() {
      for (const one of all.toReversed()) await one();
    },
  };
}
