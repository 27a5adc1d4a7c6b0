import type { Core } from "../../compose/build-core.ts";
import { releaseParked } from "../../redrive/parked/release.ts";
import type { FoundParked } from "./find.ts";

/** Releases what was found, source by source (redrive/parked/release.ts). Answers how many were released. */
export async function releaseFound(
  { sources, drains }: Pick<Core, "sources" | "drains">,
  found: readonly FoundParked[],
  { reason, by }: { readonly reason: string; readonly by: string },
): Promise<number> {
  let released = 0;
  for (const { runtime } of sources.values()) {
    const own = found.filter(({ source }) => source === runtime);
    released += await releaseParked({ ...runtime, by }, drains, own, reason);
  }
  return released;
}
