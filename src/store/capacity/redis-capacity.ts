import { createHash } from "node:crypto";
import type { PassId } from "../../ports/ids.ts";
import type { Capacity, CapacityQuery, CapacityRequest, Rate, RateKind } from "../../ports/capacity.ts";
import { drainKeys } from "../keys.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { parseReply } from "../../redis/script-runner.ts";
import { giveBackScript, takeScript, usedScript } from "./capacity.lua.ts";

/** A pass that has published nothing for a day is over. */
const passLifeMs = 86_400_000;
/** A client sends a call again within seconds or not at all. */
const markLifeMs = 10 * 60_000;
/** Names a count that no ceiling asks for. */
const noPass = "none" as PassId;

/** Capacity of all sources in one Redis. `identity` names a give-back, so that it is done once. */
export function createRedisCapacity(redis: ScriptRedis, identity: { token(): string }): Capacity {
  const keysOf = ({ source, drain, passId }: Pick<CapacityQuery, "source" | "drain" | "passId">) => {
    const keys = drainKeys(redis.keyPrefix, source, drain);
    return { ...keys, pass: keys.pass(passId ?? noPass) };
  };
  return {
    async take(query) {
      const { pass, day, rate } = keysOf(query);
      const { rates, needs } = toCountedRates(query);
      const call = {
        rates,
        requests: query.requests.map((request, index) => ({
          needs: needs[index],
          again: isFirst(request) && request.grantedAt === undefined ? undefined : true,
          grantedAt: request.grantedAt,
        })),
        perPass: query.passId === null ? undefined : query.limits.perPass,
        perDay: query.limits.perDay,
        passLife: passLifeMs,
      };
      const keys = [pass, day, ...rates.map(({ name }) => rate(name))];
      const reply = await redis.run(takeScript, keys, [JSON.stringify(call)]);
      return parseReply(takeScript, reply);
    },

    async giveBack(query, at) {
      if (query.requests.length === 0) return;
      const { pass, day, rate, givenBack } = keysOf(query);
      const { rates, needs } = toCountedRates(query);
      const call = {
        at,
        rates: rates.map((one, i) => ({
          ...one,
          count: needs.filter((needed) => needed.includes(i + 1)).length,
        })),
        counted: query.requests.filter(isFirst).length,
        hasPass: query.passId !== null,
        markLife: markLifeMs,
      };
      const keys = [givenBack(identity.token()), pass, day, ...rates.map(({ name }) => rate(name))];
      await redis.run(giveBackScript, keys, [JSON.stringify(call)]);
    },

    async used(of) {
      const { pass, day } = keysOf(of);
      return parseReply(usedScript, await redis.run(usedScript, [pass, day], ["{}"]));
    },
  };
}

/** Ceilings count what is published for the first time. */
function isFirst({ post }: CapacityRequest): boolean {
  return post === "first";
}

/** A rate with grants of its own, as the scripts take it: at most `max` in any span [t, t + spanMs). */
interface CountedRate {
  readonly kind: RateKind;
  /** Unique in the drain; ends its key. Hosts and rules are hashed: they may be long and hold anything. */
  readonly name: string;
  readonly max: number;
  readonly spanMs: number;
  /** Grants are remembered by slots of this, rounded up, so that at most 100 slots lie in a span. */
  readonly slotMs: number;
}

/** The rates that a query asks, and by request the positions (from 1) of those that it needs. */
function toCountedRates({ limits: { publish, perHost }, requests }: CapacityQuery): {
  readonly rates: readonly CountedRate[];
  readonly needs: readonly (readonly number[])[];
} {
  const rates: CountedRate[] = [];
  const placeOf = (kind: RateKind, name: string, rate: Rate): number => {
    const known = rates.findIndex((one) => one.name === name);
    return known < 0 ? rates.push({ kind, name, ...toSpacing(rate) }) : known + 1;
  };
  const needs = requests.map(({ host, rule, ruleLimit }) => [
    ...(publish === undefined ? [] : [placeOf("publish", "publish", publish)]),
    ...(perHost === undefined ? [] : [placeOf("host", `host:${toShort(host)}`, perHost)]),
    ...(rule === null || ruleLimit === undefined
      ? []
      : [placeOf("rule", `rule:${toShort(rule)}`, ruleLimit)]),
  ]);
  return { rates, needs };
}

function toShort(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

const secondMs = 1_000;
const slotsPerSpan = 100;

/**
 * A rate as bursts of at most one second's worth. With g = max and m = ⌊count / g⌋ bursts, spanMs ≥ perMs /
 * m, so any span of perMs meets at most m of them: m · g ≤ count. The rounding costs less than g / count,
 * which is nothing for a rate per second and at most a sixtieth for a rate per minute.
 */
function toSpacing({ count, perMs }: Rate): Pick<CountedRate, "max" | "spanMs" | "slotMs"> {
  const max = Math.max(1, Math.floor((count * secondMs) / perMs));
  const spanMs = Math.ceil(perMs / Math.floor(count / max));
  return { max, spanMs, slotMs: max <= slotsPerSpan ? 1 : Math.ceil(spanMs / slotsPerSpan) };
}
