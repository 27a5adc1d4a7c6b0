import { formatProblem } from "../config/problem.ts";
import type { SourceConfig } from "../ports/drains.ts";
import { RedriverError } from "../ports/errors.ts";
import { createCallbackDoor, type CallbackDoor } from "../redrive/callbacks/callback-door.ts";
import { proofAddressOf } from "../redrive/callbacks/canary-callbacks.ts";
import { createLiveSecret, type LiveSecret, type ReadSecret } from "./secrets.ts";

/** Null if no callbacks are configured. Throws `settings-invalid` if a key cannot be read. */
export function buildCallbackDoor(
  config: SourceConfig,
  time: Parameters<typeof createCallbackDoor>[2],
  readSecret: ReadSecret,
): CallbackDoor | null {
  const address = proofAddressOf(config);
  if (config.callbacks === undefined || address === undefined) return null;
  const keys = config.callbacks.keys.map((ref): LiveSecret => {
    const built = createLiveSecret(ref, readSecret);
    if (built.ok) return built.secret;
    throw new RedriverError(
      "settings-invalid",
      `source ${config.name} has no signing key for its callbacks: ${formatProblem(built.problem)}`,
    );
  });
  return createCallbackDoor(address, keys, time);
}
