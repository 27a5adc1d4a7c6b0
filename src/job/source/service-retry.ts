import type { SourceConfig } from "../contracts/drains-document.ts";
import type { Events } from "../contracts/events.ts";
import type { ServiceRetrier } from "../contracts/service.ts";

export type ServiceRetry = ReturnType<typeof createServiceRetry>;

/**
 * The service's own retry (`serviceRetry` of a source). A service that does not have it is not asked again by this
 * process.
 */
export function createServiceRetry(
  { id, serviceRetry }: Pick<SourceConfig, "id" | "serviceRetry">,
  service: ServiceRetrier,
  events: Events,
) {
  let isAbsent = false;
  let isProven = false;
  return {
    isOn: (): boolean => serviceRetry === true && !isAbsent,
    /** It has taken a message, so a 404 is about an id. */
    isProven: (): boolean => isProven,
    async retry(...call: Parameters<ServiceRetrier["retry"]>): ReturnType<ServiceRetrier["retry"]> {
      const outcome = await service.retry(...call);
      if (outcome.kind === "answered") isProven ||= outcome.items.some(({ kind }) => kind === "accepted");
      return outcome;
    },
    switchOff(why: string): void {
      if (isAbsent) return;
      isAbsent = true;
      events.emit({ type: "service-retry:switched-off", source: id, why });
    },
  };
}
