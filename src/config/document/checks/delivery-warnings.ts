import type { ValuePath } from "../../problem.ts";
import type { LintDrain, LintView } from "./lint-view.ts";
import { rateText } from "../../../rules/patterns/parse-rate.ts";
import type { Warn } from "./report-problem.ts";

/** Below it a usual receiver, which calls a database, is slower than the drain publishes. */
const usualDeliveryMs = 200;

/** Warns of live drains that publish faster than the account is likely to deliver (`maxParallelism`). */
export function warnAboutDeliveries({ sources, drains }: LintView, warn: Warn): void {
  for (const source of sources) {
    const path = ["sources", source.name, "maxParallelism"];
    for (const drain of drains) {
      if (drain.isLive && drain.source === source) warnOfPace(drain, source.maxParallelism, path, warn);
    }
  }
}

function warnOfPace(drain: LintDrain, parallelism: number | null, path: ValuePath, warn: Warn): void {
  const publish = drain.pace?.limits.publish;
  if (parallelism === null || publish === undefined) return;
  const leftMs = (parallelism * publish.perMs) / publish.count;
  if (leftMs >= usualDeliveryMs) return;
  const most = Math.max(1, Math.floor((parallelism * 1_000) / usualDeliveryMs));
  const expected = `limits.publish of at most ${most}/s`;
  warn(
    path,
    expected,
    `drain ${drain.name} may publish ${rateText(publish)}, which leaves ${Math.max(1, Math.round(leftMs))} ms for a delivery if ${parallelism} are made at once; expected ${expected}, or receivers that are faster`,
  );
}
