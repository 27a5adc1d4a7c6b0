import { formatProblem } from "../config/problem.ts";
import type { AttemptReport } from "../ports/callbacks.ts";
import type { SourceConfig } from "../ports/drains.ts";
import { RedriverError } from "../ports/errors.ts";
import { proofAddressOf } from "../redrive/callbacks/proof-address.ts";
import { serviceNow, type ServiceTime } from "../redrive/runtime.ts";
import { parseCallback } from "../redrive/callbacks/parse-callback.ts";
import { verifySignature } from "../redrive/callbacks/verify-signature.ts";
import { createLiveSecret, type LiveSecret, type ReadSecret } from "./secrets.ts";

/** Keys are read again so often at most, as callbacks come. */
const rereadEveryMs = 5_000;

/** Where one source is called back, and by whom. */
export interface CallbackDoor {
  /** Of the URL that is called, without its query. */
  readonly path: string;
  /**
   * Whether the service sent this. `search`: the query as it came, with its `?`. The body is read only then:
   * it is `another-body` unless it is the one that was signed.
   */
  admit(
    signature: string | undefined,
    search: string,
  ): Promise<
    | {
        readonly kind: "admitted";
        readonly read: (body: Buffer) => AttemptReport | "another-body" | "unreadable";
      }
    | { readonly kind: "refused"; readonly why: string }
  >;
  /** For logs, which leave them out. */
  secrets(): readonly string[];
}

/** Null where no callbacks are configured. Throws `settings-invalid` where a key cannot be read. */
export function buildCallbackDoor(
  config: SourceConfig,
  time: ServiceTime & { readonly clock: { monotonic(): number } },
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
  let readAt = time.clock.monotonic();
  const values = (): readonly string[] => {
    if (time.clock.monotonic() - readAt >= rereadEveryMs) {
      readAt = time.clock.monotonic();
      for (const key of keys) key.reread();
    }
    return keys.map((key) => key.value());
  };
  return {
    path: new URL(address).pathname,
    async admit(signature, search) {
      const verdict = await verifySignature(signature, {
        url: address + search,
        keys: values(),
        now: serviceNow(time),
      });
      if (verdict.kind === "unverified") return { kind: "refused", why: verdict.why };
      return {
        kind: "admitted",
        read: (body) => (verdict.isFor(body) ? (parseCallback(body) ?? "unreadable") : "another-body"),
      };
    },
    secrets: () => keys.map((key) => key.value()),
  };
}
