import type { AttemptReport } from "../contracts/callbacks.ts";
import type { Clock } from "../contracts/clock.ts";
import { serviceNow, type ServiceTime } from "../contracts/service.ts";
import { parseCallback } from "./parse-callback.ts";
import { verifySignature } from "./verify-signature.ts";

/** Callbacks make this process read its keys again, at most so often. */
const rereadEveryMs = 5_000;

export type CallbackAuthenticator = ReturnType<typeof createCallbackAuthenticator>;

export function createCallbackAuthenticator(
  address: string,
  keys: readonly { value(): string; reread(): void }[],
  time: ServiceTime & { readonly clock: Pick<Clock, "monotonic"> },
) {
  const { clock } = time;
  let readAt = clock.monotonic();
  const secrets = (): readonly string[] => keys.map((key) => key.value());
  const reread = (): void => {
    readAt = clock.monotonic();
    for (const key of keys) key.reread();
  };
  return {
    path: new URL(address).pathname,
    /** Admits a call that the service signed. `search`: the query as it came. Only then the body is read. */
    async admit(signature: string | undefined, search: string) {
      if (clock.monotonic() - readAt >= rereadEveryMs) reread();
      const expected = { url: address + search, keys: secrets(), now: serviceNow(time) };
      const verdict = await verifySignature(signature, expected);
      if (verdict.kind === "unverified") return { kind: "refused" as const, why: verdict.why };
      return {
        kind: "admitted" as const,
        read: (body: Buffer): AttemptReport | "another-body" | "unreadable" =>
          verdict.isFor(body) ? (parseCallback(body) ?? "unreadable") : "another-body",
      };
    },
    reread,
    secrets,
  };
}
