/** What to do first about one kind of failure, in the order that helps. Pure. */
import type { LaneStanding } from "../../read/lane-standings.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { number } from "../phrases.ts";
import { need, toLaneWords, type Need } from "../status/needs.ts";

export interface NeedsOfKind {
  readonly failure: FailureView;
  readonly lanes: readonly { readonly drain: string; readonly lane: LaneStanding }[];
  /** Drains that only plan. */
  readonly planned: ReadonlySet<string>;
  readonly isPaused: (drain: string) => boolean;
  /** Stands for one answer of one destination, so a plan can select it. */
  readonly isOneKind: boolean;
}

export function toNeedsOfKind({
  failure,
  lanes,
  planned,
  isPaused,
  isOneKind,
}: NeedsOfKind): readonly Need[] {
  const { id, origin, source, parked, drains } = failure;
  const waiting = drains.filter((one) => one.waiting > 0);
  const going = waiting.filter(({ drain }) => !isPaused(drain));
  const halted = going.flatMap(({ drain, waiting: count }) => {
    const lane = lanes.find((one) => one.drain === drain)?.lane;
    return lane?.state === "halted" ? [{ drain, count, lane }] : [];
  });
  const drained = going.filter(
    ({ drain }) => !planned.has(drain) && !halted.some((one) => one.drain === drain),
  );
  const failureOf = isOneKind ? { failure: id } : {};
  return [
    ...halted.map(({ drain, count, lane }) =>
      need("bad", "Nothing is sent there until one that is tried is delivered", {
        detail: `${number(count)} wait in ${drain}, ${toLaneWords(lane)}`,
        first: { kind: "probe", drain, origin, isHere: true },
      }),
    ),
    ...(parked === 0
      ? []
      : [
          need("bad", `${number(parked)} are parked: only a person lets them go`, {
            detail: "",
            first: { kind: "parked", of: { source, ...failureOf } },
          }),
        ]),
    ...going
      .filter(({ drain }) => planned.has(drain))
      .map(({ drain, waiting: count }) =>
        need("warn", `${number(count)} wait in ${drain}: it only plans`, {
          detail: "Nothing of it is sent until somebody applies a plan.",
          first: { kind: "plan", drain, ...failureOf },
        }),
      ),
    ...(halted.length > 0 || drained.length === 0
      ? []
      : [
          need("good", `${number(drained.reduce((sum, one) => sum + one.waiting, 0))} wait their turn`, {
            detail: "The rules and the lane let them go by themselves. A plan shows when, and can go first.",
            first: {
              kind: "plan",
              drain: drained.length === 1 ? drained[0]?.drain : undefined,
              ...failureOf,
            },
          }),
        ]),
  ];
}
