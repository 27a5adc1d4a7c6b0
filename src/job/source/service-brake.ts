import type { Clock } from "../contracts/clock.ts";
import type { SourceConfig } from "../contracts/drains-document.ts";
import { isRedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { FlowKey, FlowKeySteerer } from "../contracts/service.ts";
import { isKeyOf, keyOfName } from "../message/brake-key.ts";
import type { DestinationName } from "../message/destination-names.ts";

export type ServiceBrake = ReturnType<typeof createServiceBrake>;

/** Pausing and resuming a key twice changes nothing. With waits of 0.25, 0.5, 1, 2 and 4 s. */
const maxTries = 6;
/** Pages and `status` ask often. */
const keptMs = 5_000;

/** Our own flow control keys at the service. Without the endpoints nothing is sent under one any more. */
export function createServiceBrake(
  { id, brake }: Pick<SourceConfig, "id" | "brake">,
  service: FlowKeySteerer,
  clock: Clock,
  events: Events,
) {
  let isAbsent = false;
  let kept: { readonly at: number; readonly keys: Promise<readonly FlowKey[] | null> } | null = null;

  const asked = async <Value>(ask: () => Promise<Value | null>): Promise<Value | null> => {
    for (let tries = 1; !isAbsent; tries += 1) {
      try {
        const answer = await ask();
        if (answer !== null) return answer;
        isAbsent = true;
        events.emit({ type: "brake:switched-off", source: id });
      } catch (error) {
        if (tries === maxTries || !isRedriverError(error)) throw error;
        if (error.disposition === "halt" && error.code !== "answer-unreadable") throw error;
        await clock.sleep(125 * 2 ** tries);
      }
    }
    return null;
  };
  const steer = async (keys: readonly string[], to: "pause" | "resume"): Promise<void> => {
    for (const key of keys) await asked(() => service.steer(key, to));
    kept = null;
  };
  const list = async (host: DestinationName | undefined) => {
    const keys = brake === undefined ? null : await asked(() => service.flowKeys());
    return keys?.filter(({ key }) => isKeyOf(key, host)) ?? null;
  };

  return {
    /** Deliveries at once under a key of ours; undefined: nothing is sent under one. */
    parallelism: (): number | undefined => (isAbsent ? undefined : brake),
    /** Those of ours that are paused, as known for some seconds; null: the service does not say. Never throws. */
    async paused(): Promise<readonly FlowKey[] | null> {
      if (brake === undefined || isAbsent) return [];
      const at = clock.monotonic();
      if (kept === null || at - kept.at > keptMs) {
        const signal = AbortSignal.timeout(2_000);
        kept = { at, keys: service.flowKeys(signal).catch(() => null) };
      }
      const keys = await kept.keys;
      return keys?.filter(({ key, isPaused }) => isPaused && isKeyOf(key, undefined)) ?? null;
    },
    /** Pauses the keys of a destination, or all. Answers them with what waits; null: there is no brake. */
    async pause(host?: DestinationName): Promise<readonly FlowKey[] | null> {
      const own = host === undefined ? null : keyOfName(host);
      // Also if nothing is there yet.
      if (brake !== undefined && own !== null) await steer([own], "pause");
      const others = await list(host);
      await steer(others?.flatMap(({ key, isPaused }) => (isPaused ? [] : key)) ?? [], "pause");
      return (await list(host))?.filter(({ isPaused }) => isPaused) ?? null;
    },
    async held(host: DestinationName | undefined, left: readonly (DestinationName | undefined)[]) {
      const paused = (await list(host))?.filter(({ isPaused }) => isPaused) ?? [];
      return paused.map(({ key }) => key).filter((key) => !left.some((name) => isKeyOf(key, name)));
    },
    resume: (keys: readonly string[]): Promise<void> => steer(keys, "resume"),
  };
}
