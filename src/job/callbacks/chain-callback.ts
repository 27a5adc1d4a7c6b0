import { BoundedMap } from "../../bounded-map.ts";
import type { BatchItem, DeduplicationId } from "../message/dead-letter.ts";
import { toCallbackDeduplicationId } from "../message/message-ids.ts";
import { defined } from "../message/defined.ts";
import { encodeItem } from "../message/encode-item.ts";
import { itemNamesOf, toForwardHeaders } from "../message/headers.ts";
import { readProofCallback, type OwnCallback } from "../message/proof-callback-url.ts";
import type { AttemptReport } from "../contracts/callbacks.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Half of them are forgotten at once: ten thousand are always known. */
const maxRefused = 20_000;

type ChainRefusals = ReturnType<typeof createChainRefusals>;

/** How often the service certainly refused each callback, as this process has seen. */
export const createChainRefusals = () => new BoundedMap<string, number>(maxRefused);

export type Chained =
  /** The message had no callback of its own. */
  | { readonly kind: "none" }
  | { readonly kind: "chained" }
  | { readonly kind: "not-chained"; readonly why: string; readonly retryAt?: number };

/**
 * Forwards a callback to the message's original callback URL, as a message of the same source: redriver itself
 * calls only its services. Each try for one attempt has the same deduplication id, and another one after a refusal:
 * a refused id may count as seen. `query`: of our callback URL.
 */
export async function chainCallback(
  { config, service, takeBatchTurn, health, headerPrefix, checkItem, lineageKeys }: SourceRuntime,
  query: string,
  { messageId, retried }: AttemptReport,
  body: string,
  { refusals, signal }: { readonly refusals: ChainRefusals; readonly signal: AbortSignal },
): Promise<Chained> {
  const reading = readProofCallback(query, lineageKeys());
  if (reading.kind === "foreign") return notChained("the address does not say whose callback it is");
  if (reading.kind === "sealed") {
    return notChained("its own callback is sealed under a lineage key that is not known (lineage.oldKeys)");
  }
  if (reading.own === null) return { kind: "none" };
  const callback = `${config.id} ${messageId} ${retried}`;
  const nth = (refusals.get(callback) ?? 0) + 1;
  const refused = () => refusals.set(callback, nth);
  const deduplicationId = toCallbackDeduplicationId(messageId, retried, nth);
  const item = toChainedItem(reading.own, body, headerPrefix, deduplicationId);
  if (item === null) return notChained("its own callback has headers that cannot be sent");
  const { json, bytes } = encodeItem(item);
  const notAllowed = checkItem(item, bytes);
  if (notAllowed !== null) return notChained(`the settings allow no such message: ${notAllowed}`);

  const now = health.standing();
  if (now.state === "halted") return notChained("the source is halted");
  if (now.state === "waiting") return notChained("the source is left alone for now", now.until);
  const endTurn = await takeBatchTurn(signal);
  const outcome = await service.publish([json], () => true, signal).finally(endTurn);
  switch (outcome.kind) {
    case "answered": {
      const [one] = outcome.items;
      // A hit is our own message: nobody else makes such an id.
      if (one?.kind === "accepted") return { kind: "chained" };
      if (one?.kind === "refused") refused();
      return notChained("the service did not accept it");
    }
    case "not-sent":
      // A 429 was an answer: the service may have seen the id.
      if (outcome.why === "rate-limited") refused();
      return notChained(`not sent: ${outcome.why}`, outcome.retryAt);
    case "refused":
      refused();
      return notChained(`refused with ${outcome.status}`);
    case "misconfigured":
      return notChained(`refused with ${outcome.status}`);
    case "in-doubt":
      return notChained("no answer that proves anything");
  }
}

function notChained(why: string, retryAt?: number): Extract<Chained, { kind: "not-chained" }> {
  return { kind: "not-chained", why, ...defined({ retryAt }) };
}

/** What the service would have sent, signed and retried by it. Null if its headers cannot be sent. */
function toChainedItem(
  { url, header }: OwnCallback,
  body: string,
  headerPrefix: string,
  deduplicationId: DeduplicationId,
): BatchItem | null {
  const forward = toForwardHeaders(header, itemNamesOf(headerPrefix));
  if (forward === null) return null;
  const headers: Record<string, string> = {
    "Content-Type": forward.get("content-type")?.value ?? "application/json",
    [`${headerPrefix}Method`]: "POST",
  };
  forward.delete("content-type");
  for (const { name, value } of forward.values()) headers[`${headerPrefix}Forward-${name}`] = value;
  headers[`${headerPrefix}Deduplication-Id`] = deduplicationId;
  return { destination: url, headers, body };
}
