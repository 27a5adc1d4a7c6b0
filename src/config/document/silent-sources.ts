import type { DrainsDocument, SourceConfig } from "../../job/contracts/drains-document.ts";

/** Sources of live drains whose lanes judge by silence (docs/lanes.md, "What proves a delivery"). */
export function silentSources({ sources, drains }: DrainsDocument): readonly SourceConfig[] {
  return sources.filter(
    ({ id, callbacks, watchDeliveries }) =>
      (callbacks ?? watchDeliveries) === undefined &&
      drains.some((drain) => drain.source.id === id && drain.mode === "live" && drain.lane !== undefined),
  );
}

export const silenceNote =
  "its lanes see no delivery, they only wait for failures to come back; if messages wait at the service, lanes open too early: set callbacks, or else watchDeliveries: true (maxParallelism helps beside one of them)";
