import type { LintView } from "./lint-view.ts";
import type { Warn } from "./report-problem.ts";

/** Below it a usual receiver, which calls a database, is slower than the drains publish. */
const usualDeliveryMs = 200;

/** Warns of sources whose live drains publish faster than the account is likely to deliver (`maxParallelism`). */
export function warnAboutDeliveries({ sources, drains }: LintView, warn: Warn): void {
  for (const source of sources) {
    const { maxParallelism, name } = source;
    const paced = drains.flatMap((drain) => {
      const publish = drain.isLive && drain.source === source ? drain.pace?.limits.publish : undefined;
      return publish === undefined ? [] : { name: drain.name, perMs: publish.count / publish.perMs };
    });
    if (maxParallelism === null || paced.length === 0) continue;
    const perMs = paced.reduce((sum, drain) => sum + drain.perMs, 0);
    const leftMs = maxParallelism / perMs;
    if (leftMs >= usualDeliveryMs) continue;
    const most = Math.max(1, Math.floor((maxParallelism * 1_000) / usualDeliveryMs));
    const expected = `limits.publish of at most ${most}/s${paced.length > 1 ? " together" : ""}`;
    const names = `drain${paced.length > 1 ? "s" : ""} ${paced.map((drain) => drain.name).join(", ")}`;
    warn(
      ["sources", name, "maxParallelism"],
      expected,
      `${names} may publish ${Number((perMs * 1_000).toFixed(2))}/s, which leaves ${Math.max(1, Math.round(leftMs))} ms for a delivery if ${maxParallelism} are made at once; expected ${expected}, or receivers that are faster`,
    );
  }
}
