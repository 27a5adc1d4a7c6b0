import { toGrid } from "../rig/figures.ts";
import { shipped } from "./manifest.ts";
import type { CaseResult } from "./run-case.ts";

/** What a run is held to: so much of the limit may be used. The rest is for what a longer run would show. */
export const mostOfLimit = 0.85;

/** Every reason for which a case does not hold. */
export function faultsOf(result: CaseResult): readonly string[] {
  const { case: of, died, planDied, delivered, doubled, broken, peakBytes, groupPeakBytes } = result;
  const most = mostOfLimit * shipped.limitBytes;
  return [
    ...(died === null ? [] : [`daemon died: ${died}`]),
    ...(planDied === null ? [] : [`plan died: ${planDied}`]),
    ...(delivered === of.letters.length ? [] : ["not all delivered"]),
    ...(doubled === 0 ? [] : [`${doubled} doubled`]),
    ...(broken === 0 ? [] : [`${broken} of another length`]),
    ...(peakBytes <= most ? [] : ["daemon's peak above 85 %"]),
    ...(groupPeakBytes === null || groupPeakBytes <= most ? [] : ["peak of all above 85 %"]),
  ];
}

export function toTable(results: readonly CaseResult[]): string {
  const heads = ["case", "delivered", "daemon", "plan", "all", "of limit", "seconds", ""];
  const rows = results.map((result) => {
    const { case: of, peakBytes, planPeakBytes, groupPeakBytes, delivered, tookMs } = result;
    const faults = faultsOf(result);
    return [
      of.name,
      `${delivered}/${of.letters.length}`,
      toMiB(peakBytes),
      toMiB(planPeakBytes),
      groupPeakBytes === null ? "" : toMiB(groupPeakBytes),
      `${((100 * (groupPeakBytes ?? peakBytes)) / shipped.limitBytes).toFixed(0)} %`,
      (tookMs / 1_000).toFixed(1),
      faults.length === 0 ? "ok" : `FAILED: ${faults.join(", ")}`,
    ];
  });
  return toGrid([heads, ...rows]);
}

function toMiB(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MiB`;
}
