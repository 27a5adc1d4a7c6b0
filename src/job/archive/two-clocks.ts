/** Further apart than this, one of two clocks is wrong. Machines that keep time are within seconds. */
const maxApartMs = 5 * 60_000;

/**
 * This machine's clock beside another machine's. A wrong one must not make a new file look old. So a file is named by
 * the later of both, and its age is taken by the earlier of both. While they are far apart nothing is old. `otherNow`:
 * Unix ms, null without an answer. `report` gets their difference, once until they agree again.
 */
export function createTwoClocks(
  now: () => number,
  otherNow: () => Promise<number | null>,
  report: (apartMs: number) => void,
) {
  let otherAheadMs = 0;
  let areApart = false;
  return {
    /** The earlier of both, Unix ms. Null: no answer, or they are far apart. Never throws. */
    async earlier(): Promise<number | null> {
      const other = await otherNow();
      if (other === null) return null;
      const own = now();
      otherAheadMs = other - own;
      const apartMs = Math.abs(otherAheadMs);
      const wereApart = areApart;
      areApart = apartMs > maxApartMs;
      if (!areApart) return Math.min(own, other);
      if (!wereApart) report(apartMs);
      return null;
    },
    /** The later of both in Unix ms, with the other clock's lead at its last answer. */
    later: (): number => now() + Math.max(0, otherAheadMs),
  };
}
