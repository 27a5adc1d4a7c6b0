import { groupBy } from "../../../group-items-by-key.ts";
import { isAutoRate, leastPerSecondOf, topRateOf } from "../../contracts/auto-rate.ts";
import type { Capacity, CapacityQuery, CapacityRequest, Rate, RateKind } from "../../contracts/capacity.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { parseReply } from "../../redis/script-runner.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { toShortHash } from "../keys.ts";
import { maxLearnedHosts } from "./auto-rate.lua.ts";
import { failedAgainScript, giveBackScript, learnedScript, takeScript, usedScript } from "./capacity.lua.ts";
import { learnUndeliveredScript } from "./undelivered.lua.ts";

/** A pass that has published nothing for a day is over. */
const passLifeMs = 86_400_000;
/** A client sends a call again within seconds or not at all. */
const markLifeMs = 10 * 60_000;

type DrainKey = Pick<CapacityQuery, "source" | "drain">;

/** Capacity of all sources in one Redis. `identity` names a give-back, so that it is done once. */
export function createRedisCapacity(redis: ScriptRedis, identity: { token(): string }): Capacity {
  const keyOf = ({ source, drain }: DrainKey, ...parts: readonly string[]): string =>
    sourceKey(redis.keyPrefix, source, "limits", drain, ...parts);
  const undeliveredKey = (source: SourceId): string => sourceKey(redis.keyPrefix, source, "undelivered");
  // `none` names a count that no ceiling asks for.
  const passKey = (of: Pick<CapacityQuery, "source" | "drain" | "passId">): string =>
    keyOf(of, "pass", of.passId ?? "none");
  /** Of the rates, of those that are learned, in the order of the rates, and of what is undelivered. */
  const limitKeys = (query: CapacityQuery, rates: readonly CountedRate[]): readonly string[] => [
    ...rates.map(({ name }) => keyOf(query, "rate", name)),
    ...rates.flatMap(({ auto }) => (auto === undefined ? [] : [keyOf(query, "auto", auto.id)])),
    ...(query.undelivered === undefined ? [] : [undeliveredKey(query.source)]),
  ];
  return {
    async take(query) {
      const { limits, passId, requests } = query;
      const { rates, needs } = toCountedRates(query);
      const keys = [
        passKey(query),
        keyOf(query, "day"),
        keyOf(query, "auto-hosts"),
        ...limitKeys(query, rates),
      ];
      const call = {
        rates,
        requests: requests.map((request, index) => ({
          needs: needs[index],
          again: isFirst(request) && request.grantedAt === undefined ? undefined : true,
          canary: request.isCanary,
          grantedAt: request.grantedAt,
        })),
        perPass: passId === null ? undefined : limits.perPass,
        perDay: limits.perDay,
        passLife: passLifeMs,
        ...placed(query, keys),
      };
      return parseReply(takeScript, await redis.run(takeScript, keys, [JSON.stringify(call)]));
    },

    async giveBack(query, at) {
      const { passId, requests } = query;
      if (requests.length === 0) return;
      const { rates, needs } = toCountedRates(query);
      const mark = keyOf(query, "given-back", identity.token());
      const keys = [mark, passKey(query), keyOf(query, "day"), ...limitKeys(query, rates)];
      const call = {
        at,
        rates: rates.map((one, i) => {
          const needing = requests.filter((_, request) => needs[request]?.includes(i + 1));
          return {
            ...one,
            count: needing.length,
            canaries: needing.filter((request) => request.isCanary).length,
          };
        }),
        counted: requests.filter(isFirst).length,
        hasPass: passId !== null,
        markLife: markLifeMs,
        requests: requests.length,
        ...placed(query, keys),
      };
      await redis.run(giveBackScript, keys, [JSON.stringify(call)]);
    },

    async learn(source, limit, news) {
      const call = JSON.stringify({ ...limit, ...news });
      await redis.run(learnUndeliveredScript, [undeliveredKey(source)], [call]);
    },

    async used(of) {
      return parseReply(usedScript, await redis.run(usedScript, [passKey(of), keyOf(of, "day")], ["{}"]));
    },

    async failedAgain(of, failures) {
      if (failures.length === 0) return;
      const hosts = [...groupBy(failures, ({ host }) => host)];
      const keys = hosts.map(([host]) => keyOf(of, "auto", toShortHash(host)));
      const call = hosts.map(([, ofHost]) =>
        ofHost.map(({ parentDlqId, isCanary }) => ({
          parent: toShortHash(parentDlqId, 10),
          canary: isCanary || undefined,
        })),
      );
      await redis.run(failedAgainScript, keys, [JSON.stringify({ hosts: call })]);
    },

    async learned(of, max) {
      const call = JSON.stringify({ prefix: keyOf(of, "auto", ""), max: Math.min(max, maxLearnedHosts) });
      const reply = await redis.run(learnedScript, [keyOf(of, "auto-hosts")], [call]);
      return parseReply(learnedScript, reply).learned;
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
  /** Unique in the drain; ends its key. */
  readonly name: string;
  readonly max: number;
  readonly spanMs: number;
  /** Grants are remembered by slots of this, rounded up, so that at most 100 slots lie in a span. */
  readonly slotMs: number;
  /** The rate is learned: `max` is the most that it may become, and `id` ends the key of what is learned. */
  readonly auto?: Readonly<
    Record<"host" | "id", string> & Record<"from" | "to" | "least" | "watchMs", number>
  >;
}

/** The rates that a query asks, and by request the positions (from 1) of those that it needs. */
function toCountedRates({ limits: { publish, perHost }, requests }: CapacityQuery) {
  const rates: CountedRate[] = [];
  const placeOf = (kind: RateKind, name: string, rate: Rate, more?: Pick<CountedRate, "auto">): number => {
    const known = rates.findIndex((one) => one.name === name);
    return known < 0 ? rates.push({ kind, name, ...toSpacing(rate), ...more }) : known + 1;
  };
  const placeOfHost = (host: string, rate: NonNullable<typeof perHost>): number => {
    const id = toShortHash(host);
    const name = `host:${id}`;
    if (!isAutoRate(rate)) return placeOf("host", name, rate);
    const { fromPerSecond: from, toPerSecond: to, watchMs } = rate;
    return placeOf("host", name, topRateOf(rate), {
      auto: { host, id, from, to, least: leastPerSecondOf(rate), watchMs },
    });
  };
  const needs = requests.map(({ host, rule, ruleLimit }) => [
    ...(publish === undefined ? [] : [placeOf("publish", "publish", publish)]),
    ...(perHost === undefined ? [] : [placeOfHost(host, perHost)]),
    ...(rule === null || ruleLimit === undefined
      ? []
      : [placeOf("rule", `rule:${toShortHash(rule)}`, ruleLimit)]),
  ]);
  return { rates, needs };
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
