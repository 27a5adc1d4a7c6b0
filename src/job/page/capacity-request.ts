import { hostOf } from "../message/destination-url.ts";
import { isAutoRate, type AutoRate } from "../contracts/auto-rate.ts";
import type {
  CapacityQuery,
  CapacityRequest,
  CapacityVerdict,
  UndeliveredLimit,
} from "../contracts/capacity.ts";
import { defined } from "../message/defined.ts";
import type { LaneConfig } from "../contracts/drains-document.ts";
import { rateText } from "../rules/patterns/parse-rate.ts";
import type { Rate } from "../rules/rule-spec.ts";
import { groupBy } from "../group-items-by-key.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { canaryTimeoutMs } from "./publish/canary-variant.ts";
import { isReconciling, type Candidate } from "./records.ts";
import { held, type HeldResult } from "./results.ts";

export interface Asking {
  readonly candidate: Candidate;
  readonly request: CapacityRequest;
}

export function toAsking({ config }: DrainRuntime, candidates: readonly Candidate[]): readonly Asking[] {
  const ruleLimits = new Map(config.rules.map(({ name, limit }) => [name, limit]));
  return candidates.map((candidate) => {
    const { rule } = candidate.decision;
    const ruleLimit = rule === null ? undefined : ruleLimits.get(rule);
    const request: CapacityRequest = {
      host: rateHostOf(candidate.target),
      rule,
      ...(ruleLimit === undefined ? {} : { ruleLimit }),
      post: isReconciling(candidate) ? "again" : "first",
      // A probe shows whether its host is there, and nothing about its rate.
      ...(candidate.sendAs?.isProbe === false && { isCanary: true as const }),
    };
    return { candidate, request };
  });
}

/** By which rates per host count: the destination's host with its port, or `queue:<name>`. */
export function rateHostOf({ destination, queue }: Candidate["target"]): string {
  return queue === undefined ? hostOf(destination) : `queue:${queue}`;
}

export function toQuery(
  { config, source, passId }: DrainRuntime,
  requests: readonly CapacityRequest[],
): CapacityQuery {
  return {
    source: source.config.id,
    drain: config.name,
    passId: passId ?? null,
    limits: config.limits,
    ...defined({ undelivered: undeliveredLimitOf(source, config.lane) }),
    requests,
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

/** The result of a candidate without capacity: held, with the limit that held it. */
export function toHeld(
  { config }: Pick<DrainRuntime, "config">,
  { candidate, request }: Asking,
  verdict: Exclude<CapacityVerdict, { kind: "granted" }>,
): HeldResult<Candidate> {
  const { publish, perHost, perPass, perDay } = config.limits;
  const until = verdict.until ?? undefined;
  switch (verdict.by) {
    case "publish":
      return held(candidate, "rate-limit", until, `limits.publish is ${toText(publish)}`);
    case "host":
      return held(
        candidate,
        "rate-limit",
        until,
        `limits.perHost is ${toPerHostText(perHost, verdict)}, for ${request.host}`,
      );
    case "service":
      return held(candidate, "still-under-way", until, "maxParallelism: as much as may wait is undelivered");
    case "rule":
      return held(candidate, "rate-limit", until, `the rule's limit is ${toText(request.ruleLimit)}`);
    case "pass":
      return held(candidate, "pass-limit", until, `limits.perPass is ${perPass}`);
    case "day":
      return held(candidate, "day-limit", until, `limits.perDay is ${perDay}`);
  }
}

type Wait = Extract<CapacityVerdict, { kind: "wait" }>;

function toPerHostText(perHost: Rate | AutoRate | undefined, { perSecond }: Pick<Wait, "perSecond">): string {
  if (perHost === undefined || !isAutoRate(perHost)) return toText(perHost);
  return `auto, ${toText({ count: perSecond ?? perHost.fromPerSecond, perMs: 1_000 })} now`;
}

function toText(rate: Rate | undefined): string {
  return rate === undefined ? "none" : rateText(rate);
}

/** All records of a source have the same retention, so the first that entered is the first that expires. */
export function byEntry(one: Candidate, other: Candidate): number {
  return one.letter.enteredAt - other.letter.enteredAt;
}

/**
 * Orders the candidates of a page for capacity. First those that reconcile an earlier POST, then one host
 * after the other in turn, and within a host the earliest expiry first. So no host waits behind the backlog
 * of another, and if time runs out, the youngest are left. Pure.
 */
export function inPublishOrder(asking: readonly Asking[]): readonly Asking[] {
  const isFirst = ({ request }: Asking): boolean => request.post === "first";
  const hosts = groupBy(asking.filter(isFirst), ({ request }) => request.host);
  const turns = [...hosts.values()].flatMap((queue) =>
    queue
      .toSorted((one, other) => byEntry(one.candidate, other.candidate))
      .map((one, turn) => ({ one, turn })),
  );
  const inTurn = turns.toSorted((one, other) => one.turn - other.turn).map(({ one }) => one);
  return [...asking.filter((one) => !isFirst(one)), ...inTurn];
}
