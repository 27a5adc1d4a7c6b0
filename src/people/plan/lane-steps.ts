/** What the steps of a lane cost until it is open (docs/lanes.md), if nothing comes back. Pure. */
import type { LaneConfig } from "../../job/contracts/drains-document.ts";
import type { LaneStanding } from "./lane-standings.ts";
import type { Pace } from "./pace.ts";

export interface LaneSteps {
  /** Of `count`: sent in its steps, before it is open. */
  readonly sent: number;
  /** Until it is open, or until the last of `count` is sent in a step. */
  readonly ms: number;
}

type StepConfig = Pick<LaneConfig, "canary" | "watchMs" | "openFrom">;

export function stepsOf(
  standing: Pick<LaneStanding, "state" | "size" | "sent" | "nextInMs" | "isShaky">,
  config: StepConfig,
  count: number,
  pace: Pace,
): LaneSteps {
  if (standing.state === "open" || count === 0) return { sent: 0, ms: 0 };
  let { sent, ms, size } = firstStep(standing, config, count, pace);
  while (size < config.openFrom && sent < count) {
    const now = Math.min(size, count - sent);
    ms += pace(now, ms);
    sent += now;
    if (sent < count) ms += config.watchMs;
    size = 10 * size;
  }
  return { sent, ms };
}

/** Up to when the step of `size` begins. A size of `openFrom` or more opens the lane. */
function firstStep(
  { state, size, sent, nextInMs, isShaky }: Parameters<typeof stepsOf>[0],
  { canary, watchMs, openFrom }: StepConfig,
  count: number,
  pace: Pace,
): LaneSteps & { readonly size: number } {
  if (state === "halted") {
    const isOut = sent > 0;
    const probed = { sent: isOut ? 0 : 1, ms: isOut || count === 1 ? nextInMs : nextInMs + watchMs };
    if (!isShaky && 10 * canary < openFrom) return { ...probed, size: 10 * canary };
    return withStep({ ...probed, size: canary }, canary, { canary, watchMs }, count, pace);
  }
  if (nextInMs > 0) return { sent: 0, ms: nextInMs, size: Math.max(10 * (sent || size), canary) };
  return withStep({ sent: 0, ms: 0, size }, size - sent, { canary, watchMs }, count, pace);
}

/** A step that has room goes, whatever its size: only the next one may be large enough to open the lane. */
function withStep(
  before: LaneSteps & { readonly size: number },
  room: number,
  { canary, watchMs }: Pick<StepConfig, "canary" | "watchMs">,
  count: number,
  pace: Pace,
): LaneSteps & { readonly size: number } {
  const now = Math.min(Math.max(0, room), count - before.sent);
  const sent = before.sent + now;
  const ms = before.ms + pace(now, before.ms) + (sent < count ? watchMs : 0);
  return { sent, ms, size: Math.max(10 * before.size, canary) };
}
