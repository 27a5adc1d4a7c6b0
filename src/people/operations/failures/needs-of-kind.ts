/** What to do first about one kind of failure, in the order that helps. Pure. */
import type { LaneStanding } from "../../read/lane-standings.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { isHeldByRules } from "../../read/held-by-rules.ts";
import { sumOf, toExpired, toOnce, type Certain } from "../../read/totals.ts";
import { capitalised, toCertain, toLeft } from "../phrases.ts";
import { whyNotPlanned } from "./choose.ts";
import { appliesByProbe } from "../lane-words.ts";
import { toLaneWords } from "../status/halted-needs.ts";
import { need, type Need } from "../status/need.ts";

export interface NeedsOfKind {
  readonly failure: FailureView;
  readonly lanes: readonly { readonly drain: string; readonly lane: LaneStanding }[];
  readonly planned: ReadonlySet<string>;
  readonly isPaused: (drain: string) => boolean;
}

export function toNeedsOfKind({ failure, lanes, planned, isPaused }: NeedsOfKind): readonly Need[] {
  const { id, origin, source, parked, drains } = failure;
  const going = drains.filter((one) => one.waiting > 0 && !isPaused(one.drain));
  const acting = going.filter(({ drain }) => !planned.has(drain));
  const listing = drains.filter((one) => one.waiting > 0);
  const held = toHeld(going, listing);
  const free = acting.filter((one) => !isHeldByRules(one));
  const laneOf = (name: string) => lanes.find(({ drain }) => drain === name)?.lane;
  const halted = free.flatMap((one) => {
    const lane = laneOf(one.drain);
    return lane?.state === "halted" ? [{ ...one, lane }] : [];
  });
  const canBePlanned = whyNotPlanned(id) === null;
  const failureOf = canBePlanned ? { failure: id } : {};
  return [
    ...halted.map(({ drain, waiting, lane, ...one }) =>
      need("bad", "Sending there stops until a probe is delivered", {
        detail: `${toLeft(waiting, one)} wait in ${drain}, ${toLaneWords(lane)}`,
        first: { kind: "probe", drain, origin, lane, prober: "redriver", isHere: true },
      }),
    ),
    parked > 0 &&
      need("warn", `${capitalised(toLeft(parked, failure))} are parked: they wait for a person`, {
        detail: "",
        first: { kind: "parked", of: { source, ...failureOf } },
      }),
    held.count > 0 &&
      need("warn", `${capitalised(toCertain(held))} are held by rules`, {
        detail: "Nothing of it is sent until a rule decides otherwise, or a person discards it.",
        first: { kind: "rules" },
      }),
    ...going
      .filter((one) => canBePlanned && planned.has(one.drain) && !isHeldByRules(one))
      .map(({ waiting, again, ...one }) => ({
        ...one,
        count: waiting - (free.length > 0 ? (again?.waiting ?? 0) : 0),
      }))
      .filter(({ count }) => count > 0)
      .map(({ drain, count, ...one }) =>
        need("warn", `${capitalised(toLeft(count, one))} could go in drain ${drain}, which only plans`, {
          detail: toPlanText(laneOf(drain)),
          first: { kind: "plan", drain, ...failureOf, isHere: true },
        }),
      ),
    halted.length === 0 &&
      free.length > 0 &&
      canBePlanned &&
      need("good", `${capitalised(toCertain(toOnce(free, listing, "waiting")))} wait their turn`, {
        detail:
          "The rules send them by themselves, as the lane lets them. A plan sends the same ones, by the same lane.",
        first: { kind: "plan", drain: free.map(({ drain }) => drain).join(" "), ...failureOf },
      }),
  ].filter((one) => one !== false);
}

function toPlanText(lane: LaneStanding | undefined): string {
  if (lane?.state !== "halted") return "Nothing of it is sent until somebody applies a plan.";
  return `Nothing of it is sent until somebody applies a plan: ${toLaneWords(lane)}. ${appliesByProbe}.`;
}

type OfDrain = FailureView["drains"][number];

/** At least so many that each drain which lists them holds: another may send, or plan, what one holds. */
function toHeld(going: readonly OfDrain[], listing: readonly OfDrain[]): Certain {
  const held = going.filter(isHeldByRules);
  const others = going.filter((one) => !isHeldByRules(one));
  const all = toOnce(going, listing, "waiting");
  const free = toOnce(others, listing, "waiting");
  const most = sumOf(others, ({ waiting }) => waiting);
  return {
    count: held.length === 0 ? 0 : Math.max(0, all.count - most),
    isExact: all.isExact && free.count === most,
    ...toExpired(held, ({ waiting }) => waiting),
  };
}
