import type { LaneConfig } from "../../ports/drains.ts";
import type { LaneState } from "../../ports/lanes.ts";

/** Where a lane is on its way to open. */
export interface LaneStand {
  readonly state: LaneState;
  /** Of the step that is collecting, or watched; 1 of a halted lane. */
  readonly size: number;
  /** Of that step. */
  readonly sent: number;
  /** Where it is halted: it flaps, and sends `canary` after its probe. */
  readonly isShaky: boolean;
  /** It takes more of this step now. */
  readonly hasRoom: boolean;
}

/** How so many messages would go, if nothing comes back. */
export interface LaneSteps {
  /** Canaries of each step that they would fill, from the next one on; the last may be of fewer than it takes. */
  readonly canaries: readonly number[];
  /** Sent plainly once the lane is open. */
  readonly plain: number;
  /** Watches from the first of them to the last. */
  readonly watches: number;
}

/**
 * The steps of docs/lanes.md, each silent: a step of `n` is followed by one of ten times `n`, and by an open lane where that would be
 * `openFrom` or more. Pure.
 */
export function foreseeSteps(
  count: number,
  stand: LaneStand,
  config: Pick<LaneConfig, "canary" | "openFrom">,
): LaneSteps {
  const canaries: number[] = [];
  let left = count;
  for (const most of roomsOf(stand, config)) {
    const some = Math.min(left, most);
    if (some === 0) break;
    canaries.push(some);
    left -= some;
  }
  const groups = canaries.length + (left > 0 ? 1 : 0);
  return { canaries, plain: left, watches: Math.max(0, groups - 1) };
}

/** How many canaries each step takes, from the next one on, until the lane is open. */
function* roomsOf(
  { state, size, sent, isShaky, hasRoom }: LaneStand,
  { canary, openFrom }: Pick<LaneConfig, "canary" | "openFrom">,
): Generator<number, void, undefined> {
  let next: number;
  switch (state) {
    case "open":
      return;
    case "halted":
      // A probe that is out already need not be sent.
      if (sent === 0) yield 1;
      next = 10 * canary;
      if (isShaky || next >= openFrom) yield canary;
      break;
    case "canary":
    case "ramping":
      if (hasRoom) yield Math.max(1, size - sent);
      // Of a step that is granted whole nothing need have been sent yet.
      next = Math.max(10 * (hasRoom || sent === 0 ? size : sent), canary);
      break;
  }
  for (; next < openFrom; next *= 10) yield next;
}
