import { parkReasons } from "../../../job/message/park-reasons.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { Core } from "../../../job/door.ts";
import { releaseParked } from "./release.ts";
import type { FoundParked } from "./find.ts";

/** Releases what was found, source by source (release.ts). Answers how many were released. */
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

/** A reason of parking as a person's reason is a mistyped `--for`, and would release everything else too. */
export function requireOwnReason(reason: string): void {
  if (!parkReasons.some((one) => one === reason)) return;
  throw new RedriverError(
    "command-misused",
    `--reason says why you release; what is parked for ${reason} is chosen with --for ${reason}`,
  );
}
