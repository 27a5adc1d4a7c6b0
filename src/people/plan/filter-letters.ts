import { parseUrl } from "../../job/message/destination-url.ts";
import type { PlanFilter } from "../../job/contracts/plans.ts";
import { compileHostGlob } from "../../job/rules/patterns/host-and-path-tests.ts";
import type { Letter, DrainRuntime } from "../../job/door.ts";
import { readFailureMatcher } from "./failure-matcher.ts";

/** True for a decided letter that a plan's filter lets through. Throws `redis-unavailable`. */
export async function createFilter(
  { config, discard, source }: DrainRuntime,
  { rules, host, failure }: PlanFilter,
): Promise<(letter: Letter) => boolean> {
  const fitsFailure = failure === undefined ? null : await readFailureMatcher(source, failure);
  const wanted = rules === undefined ? null : new Set(rules);
  const fitsHost = host === undefined ? null : compileHostGlob(host);
  return ({ decision, facts, content, failure }) => {
    if (wanted !== null) {
      // What is discarded is decided by no rule. Meant is what the rule would decide.
      const rule = discard === undefined || facts === null ? decision.rule : config.route(facts).rule;
      if (rule === null || !wanted.has(rule)) return false;
    }
    if (fitsFailure !== null && !fitsFailure(failure)) return false;
    if (fitsHost === null) return true;
    const url = parseUrl(content.url);
    return url !== null && fitsHost(url.host);
  };
}
