import { packBatches } from "../../message/pack-batches.ts";
import type { SourceRuntime } from "../runtime.ts";
import type { Candidate } from "./records.ts";

/**
 * Packs what may be published. On trial the first travels alone: an answer that cannot be read leaves one message in doubt then, not a
 * hundred. Where everything was refused it would prove nothing to ask for one, which may be what is refused.
 */
export function toBatches(
  { publish, health }: Pick<SourceRuntime, "publish" | "health">,
  granted: readonly Candidate[],
): readonly (readonly Candidate[])[] {
  const limits = { maxCount: publish.maxItems, maxBytes: publish.maxBytes };
  const now = health.standing();
  const isAlone = now.state === "halted" && now.onTrial && now.code !== "service-refuses-everything";
  if (!isAlone) return packBatches(granted, limits);
  return [...packBatches(granted.slice(0, 1), limits), ...packBatches(granted.slice(1), limits)];
}
