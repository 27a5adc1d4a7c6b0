import type { AttemptReport } from "../../ports/callbacks.ts";
import type { Clock } from "../../ports/clock.ts";
import { serviceNow, type ServiceTime } from "../runtime.ts";
import { parseCallback } from "./parse-callback.ts";
import { verifySignature } from "./verify-signature.ts";

/** Keys are read again so often at most, as callbacks come. */
const rereadEveryMs = 5_000;

/** A signing key that may change while the process runs. */
export interface SigningKey {
  value(): string;
  reread(): void;
}

export type CallbackDoor = ReturnType<typeof createCallbackDoor>;

/** Where one source is called back, and by whom. `address`: the URL that the service calls, without a query. */
export function createCallbackDoor(
  address: string,
  keys: readonly SigningKey[],
  time: ServiceTime & { readonly clock: Pick<Clock, "monotonic"> },
) {
  let readAt = time.clock.monotonic();
  const values = (): readonly string[] => {
    if (time.clock.monotonic() - readAt >= rereadEveryMs) {
      readAt = time.clock.monotonic();
      for (const key of keys) key.reread();
    }
    return keys.map((key) => key.value());
  };
  return {
    /** Of the URL that is called, without its query. */
    path: new URL(address).pathname,
    /**
     * Whether the service sent this. `search`: the query as it came, with its `?`. The body is read only then:
     * it is `another-body` unless it is the one that was signed.
     */
    async admit(signature: string | undefined, search: string) {
      const verdict = await verifySignature(signature, {
        url: address + search,
        keys: values(),
        now: serviceNow(time),
      });
      if (verdict.kind === "unverified") return { kind: "refused" as const, why: verdict.why };
      return {
        kind: "admitted" as const,
        read: (body: Buffer): AttemptReport | "another-body" | "unreadable" =>
          verdict.isFor(body) ? (parseCallback(body) ?? "unreadable") : "another-body",
      };
    },
    /** For logs, which leave them out. */
    secrets: (): readonly string[] => keys.map((key) => key.value()),
  };
}
