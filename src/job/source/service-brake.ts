import type { Clock } from "../contracts/clock.ts";
import type { SourceConfig } from "../contracts/drains-document.ts";
import { isRedriverError, RedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { FlowKey, FlowKeySteerer } from "../contracts/service.ts";
import { isKeyOf, keyOfName } from "../message/brake-key.ts";
import type { DestinationName } from "../message/destination-names.ts";

export type ServiceBrake = ReturnType<typeof createServiceBrake>;

/** Pausing and resuming a key twice changes nothing. With waits of 0.25, 0.5, 1, 2 and 4 s. */
const maxTries = 6;
/** Pages and `status` ask often. */
const keptMs = 5_000;

/**
 * Our own flow control keys at the service. While a listing finds no endpoints, nothing is sent under one. Each act and
 * `status` ask again: a 404 may be a gateway's, and a key that is paused there holds what was sent under it.
 */
export function createServiceBrake(
  { id, brake }: Pick<SourceConfig, "id" | "brake">,
  service: FlowKeySteerer,
  clock: Clock,
  events: Events,
) {
  let isAbsent = false;
  let kept: { readonly at: number; readonly keys: Promise<readonly FlowKey[] | null> } | null = null;

  const asked = async <Value>(ask: () => Promise<Value | null>): Promise<Value | null> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        if (tries === maxTries || !isRedriverError(error)) throw error;
        if (error.disposition === "halt" && error.code !== "answer-unreadable") throw error;
        await clock.sleep(125 * 2 ** tries);
      }
    }
  };
  const pause = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) await asked(() => service.steer(key, "pause"));
    kept = null;
  };
  const list = async (host: DestinationName | undefined) => {
    if (brake === undefined) return null;
    const keys = await asked(() => service.flowKeys());
    if (keys === null && !isAbsent) events.emit({ type: "brake:switched-off", source: id });
    isAbsent = keys === null;
    return keys?.filter(({ key }) => isKeyOf(key, host)) ?? null;
  };

  return {
    /** Deliveries at once under a key of ours; undefined: nothing is sent under one. */
    parallelism: (): number | undefined => (isAbsent ? undefined : brake),
    /** Those of ours that are paused, as known for some seconds; null: the service does not say. Never throws. */
    async paused(): Promise<readonly FlowKey[] | null> {
      if (brake === undefined) return [];
      const at = clock.monotonic();
      if (kept === null || at - kept.at > keptMs) {
        const signal = AbortSignal.timeout(2_000);
        kept = { at, keys: service.flowKeys(signal).catch(() => null) };
      }
      const keys = await kept.keys;
      if (keys !== null) isAbsent = false;
      else if (isAbsent) return [];
      return keys?.filter(({ key, isPaused }) => isPaused && isKeyOf(key, undefined)) ?? null;
    },
    /** Pauses the keys of a destination, or all. Answers them with what waits; null: there is no brake. */
    async pause(host?: DestinationName): Promise<readonly FlowKey[] | null> {
      const own = host === undefined ? null : keyOfName(host);
      // Also if nothing is there yet.
      if (brake !== undefined && own !== null) await pause([own]);
      const others = await list(host);
      await pause(others?.flatMap(({ key, isPaused }) => (isPaused ? [] : key)) ?? []);
      return (await list(host))?.filter(({ isPaused }) => isPaused) ?? null;
    },
    async held(host: DestinationName | undefined, left: readonly (DestinationName | undefined)[]) {
      const paused = (await list(host))?.filter(({ isPaused }) => isPaused) ?? [];
      return paused.map(({ key }) => key).filter((key) => !left.some((name) => isKeyOf(key, name)));
    },
    /** Of keys that were listed: the service has them. */
    async resume(keys: readonly string[]): Promise<void> {
      for (const key of keys) {
        await asked(async () => (await service.steer(key, "resume")) ?? unconfirmed(key));
      }
      kept = null;
    },
  };
}

function unconfirmed(key: string): never {
  throw new RedriverError("service-unavailable", `flow control: ${key} was listed, and is not found`);
}
