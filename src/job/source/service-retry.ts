import type { Clock } from "../contracts/clock.ts";
import type { SourceConfig } from "../contracts/drains-document.ts";
import { isRedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { ItemOutcome, ServiceRetrier } from "../contracts/service.ts";
import type { DlqId } from "../message/dead-letter.ts";
import type { HoldReason } from "../rules/decision.ts";
import { createAbsentEndpoint } from "./absent-endpoint.ts";
import type { SourceHealth } from "./source-health.ts";

/** `not-sent`: certainly not accepted by this call. `until`: Unix ms, if the service named it. */
export type RetryOutcome =
  | ItemOutcome
  | { readonly kind: "not-sent"; readonly reason: HoldReason; readonly until?: number | undefined };

export type ServiceRetry = ReturnType<typeof createServiceRetry>;

/** So many ids that are not there, and none that is, show that the endpoint is not there. */
const maxMissed = 100;

/** The service's own retry (`serviceRetry` of a source). Without the endpoint it is not asked for a while. */
export function createServiceRetry(
  { id, serviceRetry }: Pick<SourceConfig, "id" | "serviceRetry">,
  service: ServiceRetrier,
  health: Pick<SourceHealth, "note">,
  clock: Pick<Clock, "monotonic">,
  events: Events,
) {
  const absent = createAbsentEndpoint(clock);
  /** It has taken a message, so a 404 is about an id. */
  let isProven = false;
  const missed = new Set<DlqId>();
  /** Somebody may have taken the record. One that was not there and is asked for again was listed again. */
  const isMissing = (dlqId: DlqId): boolean =>
    !isProven && (missed.size === maxMissed || missed.size === missed.add(dlqId).size);
  const toOutcome = (error: unknown, dlqId: DlqId, mayBeTaken: boolean): RetryOutcome => {
    if (!isRedriverError(error)) throw error;
    const { code, status, message: why, retryAt: until } = error;
    const isGone = status === 404;
    if (isGone && mayBeTaken) return { kind: "in-doubt", why };
    if (status === 405 || status === 501 || (isGone && isMissing(dlqId))) {
      if (absent.missed()) events.emit({ type: "service-retry:switched-off", source: id, why });
      return { kind: "not-sent", reason: "no-service-retry" };
    }
    if (code === "request-refused") return { kind: "refused", error: why };
    if (!isGone) health.note(error, "batch");
    const isNotTaken = error.notSent || isGone || code === "rate-limited" || code === "unauthorised";
    return isNotTaken ? { kind: "not-sent", reason: "not-sent", until } : { kind: "in-doubt", why };
  };
  return {
    isOn: (): boolean => serviceRetry === true && !absent.isNow(),
    /** `mayBeTaken`: by an earlier call in doubt. */
    async retry(mayBeTaken: boolean, ...call: Parameters<ServiceRetrier["retry"]>): Promise<RetryOutcome> {
      try {
        const item = await service.retry(...call);
        if (item.kind !== "accepted") return item;
        isProven = true;
        absent.found();
        return item.deduplicated ? { kind: "in-doubt", why: "it knows another message of that id" } : item;
      } catch (error) {
        return toOutcome(error, call[0], mayBeTaken);
      }
    },
  };
}
