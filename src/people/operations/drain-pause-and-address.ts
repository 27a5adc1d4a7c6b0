import { hostPausesOf, pauseOf, type HostPause, type PauseRecord } from "../../job/contracts/pauses.ts";
import type { DrainRuntime, Core } from "../../job/door.ts";
import { toKeyedHash } from "../../job/message/hmac.ts";

/** The person's pause that holds this drain back now, if any. Throws `redis-unavailable`. */
export async function readPause(
  { sources }: Core,
  { config, source }: DrainRuntime,
): Promise<PauseRecord | undefined> {
  return pauseOf((await sources.get(source.config.id)?.pauses.all()) ?? [], config.name);
}

/** The destinations that a person has paused for this drain. Throws `redis-unavailable`. */
export async function readHostPauses(
  { sources }: Core,
  { config, source }: DrainRuntime,
): Promise<readonly HostPause[]> {
  return hostPausesOf((await sources.get(source.config.id)?.pauses.all()) ?? [], config.name);
}

/** The address of a drain's source: its host with port, and a keyed hash of the whole address. */
export function addressOf(
  { sources }: Core,
  { source }: DrainRuntime,
): { readonly host: string; readonly hash: string } {
  const baseUrl = sources.get(source.config.id)?.baseUrl ?? "";
  return { host: new URL(baseUrl).host, hash: toKeyedHash("url", baseUrl) };
}
