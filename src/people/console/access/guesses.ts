/**
 * Bounds guesses at tokens: after so many wrong ones from an address, nothing of it is tried for the rest of
 * the minute. Sessions that are open go on.
 */
import { BoundedMap, BoundedSet } from "../../../bounded-map.ts";

const maxWrongPerMinute = 10;
const minuteMs = 60_000;
/** Of all addresses together: whoever has many has no more than this. It locks out none that had a right token. */
const maxWrongOfAllPerMinute = 100;
const maxAddresses = 1_000;

export type Guesses = ReturnType<typeof createGuesses>;

export function createGuesses(now: () => number) {
  let minute = 0;
  let ofAll = 0;
  const wrong = new BoundedMap<string, number>(maxAddresses);
  const trusted = new BoundedSet<string>(maxAddresses);
  const turn = (): void => {
    const current = Math.floor(now() / minuteMs);
    if (current === minute) return;
    minute = current;
    ofAll = 0;
    wrong.clear();
  };
  return {
    mayTry(address: string): boolean {
      turn();
      const isOpen = trusted.has(address) || ofAll < maxWrongOfAllPerMinute;
      return isOpen && (wrong.get(address) ?? 0) < maxWrongPerMinute;
    },
    wasRight(address: string): void {
      trusted.add(address);
    },
    wasWrong(address: string): void {
      turn();
      ofAll += 1;
      wrong.set(address, (wrong.get(address) ?? 0) + 1);
    },
  };
}
