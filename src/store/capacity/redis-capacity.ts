import { RedriverError } from "../../ports/errors.ts";
import type { PassId } from "../../ports/ids.ts";
import type { Capacity, CapacityQuery, CapacityVerdict, CeilingUse } from "../../ports/limits.ts";
import type { RedisConnection } from "../../redis/connect.ts";
import { countsForCeilings, dayMs, toCountedRates, type CountedRate } from "./counted-rates.ts";
import { drainKeys } from "../keys.ts";
import { parseReply, toList } from "../script-reply.ts";
import { giveBackScript, takeScript, usedScript } from "./capacity.lua.ts";

/** A pass that has published nothing for a day is over. */
const passLifeMs = dayMs;
/** A client sends a call again within seconds or not at all. */
const markLifeMs = 10 * 60_000;
/** Names a count that no ceiling asks for. */
const noPass = "none" as PassId;

/** Capacity of all sources in one Redis. `identity` names a give-back, so that it is done once. */
export function createRedisCapacity(
  redis: Pick<RedisConnection, "run" | "keyPrefix">,
  identity: { token(): string },
): Capacity {
  const keysOf = ({ source, drain, passId }: Pick<CapacityQuery, "source" | "drain" | "passId">) => {
    const keys = drainKeys(redis.keyPrefix, source, drain);
    return { ...keys, pass: keys.pass(passId ?? noPass) };
  };
  return {
    async take(query) {
      const keys = keysOf(query);
      const { rates, needs } = toCountedRates(query);
      const call = {
        rates: rates.map(({ spacing }) => ({
          max: spacing.max,
          span: spacing.spanMs,
          slot: spacing.slotMs,
        })),
        requests: query.requests.map((request, index) => ({
          needs: needs[index]?.map((position) => position + 1),
          ...(countsForCeilings(request) ? {} : { again: true }),
        })),
        ...(query.passId === null ? {} : { perPass: query.limits.perPass }),
        perDay: query.limits.perDay,
        passLife: passLifeMs,
      };
      const reply = await redis.run(
        takeScript,
        [keys.pass, keys.day, ...rates.map(({ name }) => keys.rate(name))],
        [JSON.stringify(call)],
      );
      return toAnswer(reply, rates);
    },

    async giveBack(query, at) {
      if (query.requests.length === 0) return;
      const keys = keysOf(query);
      const { rates, needs } = toCountedRates(query);
      const call = {
        at,
        rates: rates.map(({ spacing }, position) => ({
          span: spacing.spanMs,
          slot: spacing.slotMs,
          count: needs.filter((needed) => needed.includes(position)).length,
        })),
        counted: query.requests.filter(countsForCeilings).length,
        hasPass: query.passId !== null,
        markLife: markLifeMs,
      };
      await redis.run(
        giveBackScript,
        [keys.givenBack(identity.token()), keys.pass, keys.day, ...rates.map(({ name }) => keys.rate(name))],
        [JSON.stringify(call)],
      );
    },

    async used(of) {
      const { pass, day } = keysOf(of);
      const reply = await redis.run(usedScript, [pass, day], ["{}"]);
      return parseReply(usedScript, reply) as CeilingUse;
    },
  };
}

interface Reply {
  readonly at: number;
  readonly verdicts: readonly { readonly k: string; readonly rate?: number; readonly until?: number }[];
}

function toAnswer(
  reply: unknown,
  rates: readonly CountedRate[],
): { readonly verdicts: readonly CapacityVerdict[]; readonly at: number } {
  const { at, verdicts } = parseReply(takeScript, reply) as Reply;
  return { at, verdicts: toList(verdicts).map((verdict) => toVerdict(verdict, rates)) };
}

function toVerdict(
  { k, rate, until }: Reply["verdicts"][number],
  rates: readonly CountedRate[],
): CapacityVerdict {
  switch (k) {
    case "granted":
      return { kind: "granted" };
    case "pass":
      return { kind: "ceiling", by: "pass", until: null };
    case "day":
      return { kind: "ceiling", by: "day", until: until ?? null };
    default: {
      const by = rates[(rate ?? 0) - 1]?.kind;
      if (k !== "wait" || by === undefined || until === undefined) {
        throw new RedriverError("invariant-broken", `limits:take answered the verdict ${k}`);
      }
      return { kind: "wait", by, until };
    }
  }
}
