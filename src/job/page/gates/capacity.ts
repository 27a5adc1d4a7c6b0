/**
 * The rates of the drain, host and rule, and the ceilings of the pass and day, which all replicas share. What is
 * not granted waits in place, or is held (rounds.ts). A grant that waited too long for its batch is moved to now:
 * else all that has waited for a slow service would leave in one moment, and the rate counts those grants no more.
 */
import { isAutoRate, type AutoRate } from "../../contracts/auto-rate.ts";
import type { CapacityQuery, CapacityRequest, UndeliveredLimit } from "../../contracts/capacity.ts";
import { defined } from "../../message/defined.ts";
import type { LaneConfig } from "../../contracts/drains-document.ts";
import { rateText } from "../../rules/patterns/parse-rate.ts";
import type { Rate } from "../../rules/rule-spec.ts";
import type { DrainRuntime, SourceRuntime } from "../../runtime.ts";
import { hold } from "../fate.ts";
import { maxAnswerAgeMs, type Gate } from "./gate.ts";
import { isReconciling, type CapacityWait, type Letter } from "../letter.ts";
import { canaryTimeoutMs } from "../publish/canary-variant.ts";

export const capacity: Gate = {
  letsReconcilingPass: false,
  asking(drain, letters, now) {
    const limited = limitedRulesOf(drain);
    if (limited !== "all" && limited.size === 0) return [];
    return letters.filter(({ grant, decision: { rule } }) => {
      if (grant !== null) return now - grant.askedAt > maxAnswerAgeMs;
      return limited === "all" || (rule !== null && limited.has(rule));
    });
  },
  async ask(drain, letters, signal) {
    const { capacity: rates, clock } = drain.source;
    const askedAt = clock.monotonic();
    const { verdicts, at, ask } = await rates.take(toQuery(drain, letters));
    const answeredAt = clock.monotonic();
    const isOutdated = ask !== undefined && (await learnLoad(drain, ask, signal));
    for (const [index, letter] of letters.entries()) {
      const verdict = verdicts[index];
      if (verdict?.kind === "granted") letter.grant = { at, askedAt, isCanary: countsAsCanary(letter) };
      // A grant that was refused now stays until it is given back.
      else if (verdict !== undefined) letter.wait = { verdict, at, answeredAt, isOutdated };
    }
  },
};

const limitedOf = new WeakMap<object, ReadonlySet<string>>();

/** The rules whose letters something limits. Of others nothing is asked. */
function limitedRulesOf({ config, source }: DrainRuntime): ReadonlySet<string> | "all" {
  const { limits, rules } = config;
  if (source.config.maxParallelism !== undefined || Object.keys(limits).length > 0) return "all";
  let limited = limitedOf.get(rules);
  if (limited === undefined) {
    limited = new Set(rules.flatMap(({ name, limit }) => (limit === undefined ? [] : [name])));
    limitedOf.set(rules, limited);
  }
  return limited;
}

async function learnLoad(
  { source, config }: DrainRuntime,
  { granted }: { readonly granted: number },
  signal: AbortSignal,
): Promise<boolean> {
  const limit = undeliveredLimitOf(source, config.lane);
  const load = await source.deliveryWatch.ask(signal);
  if (limit === undefined || load === undefined || "isAbsent" in load) return false;
  await source.capacity.learn(source.config.id, limit, { load, granted });
  return true;
}

function toRequest(letter: Letter, ruleLimit: Rate | undefined): CapacityRequest {
  const { decision, grant, due } = letter;
  return {
    host: due.rateHost,
    rule: decision.rule,
    ...(ruleLimit === undefined ? {} : { ruleLimit }),
    post: isReconciling(letter) ? "again" : "first",
    ...(countsAsCanary(letter) && { isCanary: true as const }),
    ...(grant === null ? {} : { grantedAt: grant.at }),
  };
}

/** As its grant was counted, if it has one. A probe shows whether its host is there, and nothing about its rate. */
function countsAsCanary({ sendAs, grant }: Letter): boolean {
  return grant?.isCanary ?? sendAs?.isProbe === false;
}

export function toQuery({ config, source, passId }: DrainRuntime, letters: readonly Letter[]): CapacityQuery {
  const ruleLimits = new Map(config.rules.map(({ name, limit }) => [name, limit]));
  return {
    source: source.config.id,
    drain: config.name,
    passId: passId ?? null,
    limits: config.limits,
    ...defined({ undelivered: undeliveredLimitOf(source, config.lane) }),
    requests: letters.map((one) => {
      const { rule } = one.decision;
      return toRequest(one, rule === null ? undefined : ruleLimits.get(rule));
    }),
  };
}

/** Three quarters of the built-in watch, in which a canary times out. */
const slowWithoutLaneMs = 45_000;

export function undeliveredLimitOf(
  { config: { maxParallelism }, deliveryWatch }: Pick<SourceRuntime, "config" | "deliveryWatch">,
  lane?: LaneConfig,
): UndeliveredLimit | undefined {
  if (maxParallelism === undefined) return undefined;
  const slowMs = lane === undefined ? slowWithoutLaneMs : canaryTimeoutMs(lane.watchMs);
  const asks = deliveryWatch.isOn() ? (true as const) : undefined;
  return defined({ max: maxParallelism, slowMs, asks });
}

export function holdForCapacity(drain: DrainRuntime, letter: Letter, { verdict }: CapacityWait): void {
  const { publish, perHost, perPass, perDay } = drain.config.limits;
  const rule = drain.config.rules.find(({ name }) => name === letter.decision.rule);
  const perSecond = verdict.kind === "wait" ? verdict.perSecond : undefined;
  const [reason, why] = (
    {
      publish: ["rate-limit", `limits.publish is ${toText(publish)}`],
      host: [
        "rate-limit",
        `limits.perHost is ${toPerHostText(perHost, perSecond)}, for ${letter.due.rateHost}`,
      ],
      service: ["still-under-way", "maxParallelism: as much as may wait is undelivered"],
      rule: ["rate-limit", `the rule's limit is ${toText(rule?.limit)}`],
      pass: ["pass-limit", `limits.perPass is ${perPass}`],
      day: ["day-limit", `limits.perDay is ${perDay}`],
    } as const
  )[verdict.by];
  hold(letter, reason, verdict.until ?? undefined, why);
}

function toPerHostText(perHost: Rate | AutoRate | undefined, perSecond: number | undefined): string {
  if (perHost === undefined || !isAutoRate(perHost)) return toText(perHost);
  return `auto, ${toText({ count: perSecond ?? perHost.fromPerSecond, perMs: 1_000 })} now`;
}

function toText(rate: Rate | undefined): string {
  return rate === undefined ? "none" : rateText(rate);
}
