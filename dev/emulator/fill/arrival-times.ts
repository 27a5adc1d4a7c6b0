/** How records are spread over the time that they entered in. */
export const arrivalShapes = ["even", "burst", "skewed"] as const;
type ArrivalShape = (typeof arrivalShapes)[number];

/**
 * Where in the time the next of all records enters, both from 0 to 1: the inverse of the share that has
 * entered so far. It never falls, so records can be made in the order of their entry.
 */
export function arrivalAt(shape: ArrivalShape, share: number): number {
  switch (shape) {
    case "even":
      return share;
    case "burst":
      return burstAt(share);
    case "skewed":
      // Density grows with the square of time: an outage that gets worse, and more than half of it in the
      // last fifth.
      return Math.cbrt(share);
  }
}

// A fifth of the records trickles in all the time; the rest comes in 3% of it.
const trickle = 0.2;
const burst = { from: 0.6, to: 0.63 };
const before = trickle * burst.from;
const after = trickle * burst.to + (1 - trickle);

function burstAt(share: number): number {
  if (share < before) return share / trickle;
  if (share < after) return burst.from + ((share - before) / (after - before)) * (burst.to - burst.from);
  return burst.to + (share - after) / trickle;
}
