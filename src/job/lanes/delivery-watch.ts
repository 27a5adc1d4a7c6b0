import { isRedriverError } from "../contracts/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Events } from "../contracts/events.ts";
import type { SourceConfig } from "../contracts/drains-document.ts";
import type { ServiceLoad, ServiceLoadReader } from "../contracts/service.ts";
import { createAbsentEndpoint } from "../source/absent-endpoint.ts";

export type DeliveryWatch = ReturnType<typeof createDeliveryWatch>;

/** How much the service has under way (`watchDeliveries`). What nobody can read proves nothing. */
export function createDeliveryWatch(
  { id, watchDeliveries }: Pick<SourceConfig, "id" | "watchDeliveries">,
  service: ServiceLoadReader,
  clock: Pick<Clock, "monotonic">,
  events: Events,
) {
  const absent = createAbsentEndpoint(clock);
  return {
    isOn: (): boolean => watchDeliveries === true && !absent.isNow(),
    /** Undefined: it proves nothing. Never throws. */
    async ask(signal: AbortSignal): Promise<ServiceLoad | undefined> {
      if (absent.isNow() || watchDeliveries !== true) return { isAbsent: true };
      const asked = { type: "deliveries:asked", source: id } as const;
      try {
        const load = await service.load(signal);
        if ("isAbsent" in load) {
          if (absent.missed()) events.emit({ ...asked, outcome: "absent", why: null });
          return load;
        }
        absent.found();
        const outcome = load.count < load.max ? ("keeps-up" as const) : ("behind" as const);
        events.emit({ ...asked, outcome, why: `${load.count} of ${load.max}` });
        return load;
      } catch (error) {
        if (!isRedriverError(error)) throw error;
        events.emit({ ...asked, outcome: "unknown", why: error.message });
        return undefined;
      }
    },
  };
}
