import type { CapacityRequest, CapacityVerdict } from "../../ports/limits.ts";
import { rateText } from "../../rules/patterns/parse-rate.ts";
import type { Rate } from "../../rules/spec.ts";
import type { DrainRuntime } from "../runtime.ts";
import { held } from "./results.ts";
import type { Candidate, PublishResult } from "./records.ts";

/** A candidate with what it asks for. */
export interface Asking {
  readonly candidate: Candidate;
  readonly request: CapacityRequest;
}

export function toAsking(candidate: Candidate, ruleLimits: ReadonlyMap<string, Rate>): Asking {
  const { rule } = candidate.decision;
  const { destination, queue } = candidate.toItem(1);
  const ruleLimit = rule === null ? undefined : ruleLimits.get(rule);
  const request: CapacityRequest = {
    host: queue === undefined ? new URL(destination).host : `queue:${queue}`,
    rule,
    ...(ruleLimit === undefined ? {} : { ruleLimit }),
    post: isReconciling(candidate) ? "again" : "first",
  };
  return { candidate, request };
}

/** An earlier POST may have been accepted, and that can still be found out under its deduplication id. */
export function isReconciling({ view }: Pick<Candidate, "view">): boolean {
  return view.state === "open" && !view.pastHorizon;
}

/** The limits of a drain's rules, by the rule's name. */
export function toRuleLimits({ config }: Pick<DrainRuntime, "config">): ReadonlyMap<string, Rate> {
  return new Map(config.rules.flatMap(({ name, limit }) => (limit === undefined ? [] : [[name, limit]])));
}

/** What is left in the DLQ for want of capacity, with the limit that says so. */
export function toHeld(
  { config }: Pick<DrainRuntime, "config">,
  { candidate, request }: Asking,
  verdict: Exclude<CapacityVerdict, { kind: "granted" }>,
): PublishResult {
  const { limits } = config;
  const until = verdict.until ?? undefined;
  switch (verdict.by) {
    case "publish":
      return held(candidate, "rate-limit", until, `limits.publish is ${toText(limits.publish)}`);
    case "host":
      return held(
        candidate,
        "rate-limit",
        until,
        `limits.perHost is ${toText(limits.perHost)}, for ${request.host}`,
      );
    case "rule":
      return held(candidate, "rate-limit", until, `the rule's limit is ${toText(request.ruleLimit)}`);
    case "pass":
      return held(candidate, "pass-limit", until, `limits.perPass is ${limits.perPass}`);
    case "day":
      return held(candidate, "day-limit", until, `limits.perDay is ${limits.perDay}`);
  }
}

function toText(rate: Rate | undefined): string {
  return rate === undefined ? "none" : rateText(rate);
}
