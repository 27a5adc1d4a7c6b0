/**
 * What a plan publishes, as far as it is known: counts, and a count divided by the limit that is set for it.
 * Lanes, guards and learned rates add to that time, and by how much nobody knows. Pure.
 */
import { defined } from "../../job/message/defined.ts";
import { sumOf } from "../read/totals.ts";
import { topRateOf } from "../../job/contracts/auto-rate.ts";
import type { LimitsConfig } from "../../job/contracts/drains-document.ts";
import { groupBy } from "../../group-items-by-key.ts";
import type { Rate } from "../../job/rules/rule-spec.ts";
import type { DestinationPublishes, PublishCounts } from "./destination-count.ts";
import type { DayCeiling, Room } from "./guards-and-ceilings.ts";

export type Estimate = ReturnType<typeof estimate>;

export interface EstimateInput {
  readonly limits: LimitsConfig;
  readonly ruleRates: ReadonlyMap<string, Rate>;
  readonly counts: PublishCounts;
  readonly room: Pick<Room, "perDay">;
}

/** So many publishes at this rate take `ms`: less is not possible. */
export type LeastTime = ReturnType<typeof toLeast>;

const maxShown = 8;

/** Of everything that is due now, and of what becomes due by time alone. */
export function estimate(input: EstimateInput) {
  const { limits, counts } = input;
  const { destinations, again } = counts;
  const publishes = sumOf(destinations, (one) => one.publishes);
  const later = sumOf(destinations, (one) => one.later);
  const all = publishes + later;
  return {
    publishes,
    /** Becomes due by time alone. The rules of the plan have when. */
    later,
    /** By the limit that takes longest; null if no limit is set. */
    least: leastTimes(input, all).toSorted((one, other) => other.ms - one.ms)[0] ?? null,
    destinations: toShown(destinations),
    /** Passes that an unattended drain needs under `perPass`; 1 without such a ceiling. */
    passes: limits.perPass === undefined ? 1 : Math.max(1, Math.ceil((all - again) / limits.perPass)),
    /** UTC days with publishes, by the remainder of `perDay` today; 1 without that ceiling. */
    days: daysOf(all - again, input.room.perDay),
  };
}

function leastTimes({ limits, ruleRates, counts }: EstimateInput, all: number): readonly LeastTime[] {
  const { publish, perHost } = limits;
  // `http` and `https` of a host are two destinations, and share its rate.
  const hosts = groupBy(
    counts.destinations.filter(({ origin }) => origin !== null),
    ({ host }) => host,
  );
  return [
    ...(publish === undefined ? [] : [toLeast("publish", publish, all)]),
    ...(perHost === undefined
      ? []
      : [...hosts].map(([host, own]) => toLeast("host", topRateOf(perHost), sumOf(own, totalOf), host))),
    ...[...ruleRates].map(([rule, rate]) => toLeast("rule", rate, counts.ofRules.get(rule) ?? 0, rule)),
  ];
}

/** Of all, of one host, or of one rule; `name` is the host's or the rule's. */
function toLeast(kind: "publish" | "host" | "rule", rate: Rate, publishes: number, name?: string) {
  const ms = Math.ceil((publishes / rate.count) * rate.perMs);
  return { kind, rate, publishes, ms, ...defined({ name }) };
}

function daysOf(publishes: number, ceiling: DayCeiling | null): number {
  if (ceiling === null || publishes <= ceiling.left) return 1;
  return Math.ceil((publishes - ceiling.left) / ceiling.limit) + (ceiling.left > 0 ? 1 : 0);
}

function toShown(destinations: readonly DestinationPublishes[]) {
  const apart = destinations
    .flatMap(({ origin, publishes, later }) => (origin === null ? [] : [{ origin, publishes, later }]))
    .toSorted((one, other) => totalOf(other) - totalOf(one));
  const together = destinations.filter(({ origin }) => origin === null);
  const rest = [...apart.slice(maxShown), ...together];
  return {
    top: apart.slice(0, maxShown),
    /** How many others, as far as they are counted apart. */
    more: {
      destinations: rest.length,
      publishes: sumOf(rest, ({ publishes }) => publishes),
      later: sumOf(rest, ({ later }) => later),
    },
  };
}

function totalOf({ publishes, later }: Pick<DestinationPublishes, "publishes" | "later">): number {
  return publishes + later;
}
