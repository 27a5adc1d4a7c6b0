import { createHash } from "node:crypto";
import { groupBy } from "../../../group-items-by-key.ts";
import type { PassId } from "../../contracts/ids.ts";
import { isAutoRate, leastPerSecondOf, topRateOf, type AutoRate } from "../../contracts/auto-rate.ts";
import type { Capacity, CapacityQuery, CapacityRequest, Rate, RateKind } from "../../contracts/capacity.ts";
import { drainKeys, sourceKeys } from "../keys.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { parseReply } from "../../redis/script-runner.ts";
import { maxLearnedHosts } from "./auto-rate.lua.ts";
import { deliveryTimeScript, learnUndeliveredScript } from "./undelivered.lua.ts";
import { failedAgainScript, giveBackScript, learnedScript, takeScript, usedScript } from "./capacity.lua.ts";

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
  /** Of the rates, of those that are learned, in the order of the rates, and of what is undelivered. */
  const limitKeys = (query: CapacityQuery, rates: readonly CountedRate[]): readonly string[] => {
    const { rate, autoPrefix } = keysOf(query);
    return [
      ...rates.map(({ name }) => rate(name)),
      ...rates.flatMap(({ auto }) => (auto === undefined ? [] : [`${autoPrefix}${auto.id}`])),
      ...(query.undelivered === undefined ? [] : [sourceKeys(redis.keyPrefix, query.source).undelivered]),
    ];
  };
  return {
    async take(query) {
      const { pass, day, autoHosts } = keysOf(query);
      const { rates, needs } = toCountedRates(query);
      const call = {
        rates,
        requests: query.requests.map((request, index) => ({
          needs: needs[index],
          again: isFirst(request) && request.grantedAt === undefined ? undefined : true,
          canary: request.isCanary,
          grantedAt: request.grantedAt,
        })),
        perPass: query.passId === null ? undefined : query.limits.perPass,
        perDay: query.limits.perDay,
        passLife: passLifeMs,
      };
      const keys = [pass, day, autoHosts, ...limitKeys(query, rates)];
      const reply = await redis.run(takeScript, keys, [JSON.stringify({ ...call, ...placed(query, keys) })]);
      return parseReply(takeScript, reply);
    },

    async giveBack(query, at) {
      if (query.requests.length === 0) return;
      const { pass, day, givenBack } = keysOf(query);
      const { rates, needs } = toCountedRates(query);
      const call = {
        at,
        rates: rates.map((one, i) => ({
          ...one,
          count: needs.filter((needed) => needed.includes(i + 1)).length,
          canaries: needs.filter(
            (needed, request) => needed.includes(i + 1) && query.requests[request]?.isCanary === true,
          ).length,
        })),
        counted: query.requests.filter(isFirst).length,
        hasPass: query.passId !== null,
        markLife: markLifeMs,
        requests: query.requests.length,
      };
      const keys = [givenBack(identity.token()), pass, day, ...limitKeys(query, rates)];
      await redis.run(giveBackScript, keys, [JSON.stringify({ ...call, ...placed(query, keys) })]);
    },

    async learn(source, limit, news) {
      const keys = [sourceKeys(redis.keyPrefix, source).undelivered];
      await redis.run(learnUndeliveredScript, keys, [JSON.stringify({ ...limit, ...news })]);
    },

    async deliveryTime(source) {
      const keys = [sourceKeys(redis.keyPrefix, source).undelivered];
      return parseReply(deliveryTimeScript, await redis.run(deliveryTimeScript, keys, ["{}"]));
    },

    async used(of) {
      const { pass, day } = keysOf(of);
      return parseReply(usedScript, await redis.run(usedScript, [pass, day], ["{}"]));
    },

    async failedAgain({ source, drain }, failures) {
      if (failures.length === 0) return;
      const { autoPrefix } = drainKeys(redis.keyPrefix, source, drain);
      const hosts = [...groupBy(failures, ({ host }) => host)];
      const keys = hosts.map(([host]) => `${autoPrefix}${toShort(host)}`);
      const call = {
        hosts: hosts.map(([, ofHost]) =>
          ofHost.map(({ parentDlqId, isCanary }) => ({
            parent: toShort(parentDlqId).slice(0, 10),
            canary: isCanary || undefined,
          })),
        ),
      };
      await redis.run(failedAgainScript, keys, [JSON.stringify(call)]);
    },

    async learned({ source, drain }, max) {
      const { autoHosts, autoPrefix } = drainKeys(redis.keyPrefix, source, drain);
      const call = JSON.stringify({ prefix: autoPrefix, max: Math.min(max, maxLearnedHosts) });
      return parseReply(learnedScript, await redis.run(learnedScript, [autoHosts], [call])).learned;
    },
  };
}

/** The limit with the place of its key, which is the last one. */
function placed({ undelivered }: CapacityQuery, keys: readonly string[]): object {
  return undelivered === undefined ? {} : { undelivered: { ...undelivered, key: keys.length } };
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
  /** The rate is learned: `max` is the most that it may become. */
  readonly auto?: LearnedBy;
}

interface LearnedBy {
  readonly host: string;
  /** Ends the key of what is learned. */
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly least: number;
  readonly watchMs: number;
}

/** The rates that a query asks, and by request the positions (from 1) of those that it needs. */
function toCountedRates({ limits: { publish, perHost }, requests }: CapacityQuery): {
  readonly rates: readonly CountedRate[];
  readonly needs: readonly (readonly number[])[];
} {
  const rates: CountedRate[] = [];
  const placeOf = (kind: RateKind, name: string, rate: Rate, auto?: LearnedBy): number => {
    const known = rates.findIndex((one) => one.name === name);
    return known < 0 ? rates.push({ kind, name, ...toSpacing(rate), ...(auto && { auto }) }) : known + 1;
  };
  const placeOfHost = (host: string, rate: Rate | AutoRate): number => {
    const id = toShort(host);
    return placeOf(
      "host",
      `host:${id}`,
      topRateOf(rate),
      isAutoRate(rate) ? learnedBy(host, id, rate) : undefined,
    );
  };
  const needs = requests.map(({ host, rule, ruleLimit }) => [
    ...(publish === undefined ? [] : [placeOf("publish", "publish", publish)]),
    ...(perHost === undefined ? [] : [placeOfHost(host, perHost)]),
    ...(rule === null || ruleLimit === undefined
      ? []
      : [placeOf("rule", `rule:${toShort(rule)}`, ruleLimit)]),
  ]);
  return { rates, needs };
}

function learnedBy(host: string, id: string, rate: AutoRate): LearnedBy {
  const { fromPerSecond: from, toPerSecond: to, watchMs } = rate;
  return { host, id, from, to, least: leastPerSecondOf(rate), watchMs };
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
