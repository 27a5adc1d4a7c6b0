import type { DrainsDocument, SourceConfig } from "../../job/contracts/drains-document.ts";

/**
 * Sources of live drains with lanes where only silence tells that a canary was delivered. It tells nothing while
 * messages wait at the service (docs/lanes.md, "What proves a delivery").
 */
export function silentSources({ sources, drains }: DrainsDocument): readonly SourceConfig[] {
  return sources.filter(
    ({ id, callbacks, watchDeliveries }) =>
      (callbacks ?? watchDeliveries) === undefined &&
      drains.some((drain) => drain.source.id === id && drain.mode === "live" && drain.lane !== undefined),
  );
}

export const silenceNote =
  "only silence tells its lanes that canaries were delivered, and it tells nothing while messages wait at the service, also those of others: set callbacks, or else watchDeliveries; maxParallelism bounds only what redriver itself publishes, so it helps beside one of them";
