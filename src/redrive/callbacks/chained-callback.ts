import type { BatchItem, DeduplicationId } from "../../message/dead-letter.ts";
import { toForwardHeaders } from "../../message/forward-headers.ts";
import type { OwnCallback } from "../../message/proof-callback.ts";

/**
 * The message that forwards a callback to its original URL: what the service would have sent, signed and retried by the service.
 * `body`: as received. Null if its headers cannot be sent.
 */
export function toChainedItem(
  { url, header }: OwnCallback,
  body: string,
  {
    headerPrefix,
    deduplicationId,
  }: { readonly headerPrefix: string; readonly deduplicationId: DeduplicationId },
): BatchItem | null {
  const forward = toForwardHeaders(header, headerPrefix);
  if (forward === null) return null;
  const contentType = forward.get("content-type")?.value ?? "application/json";
  forward.delete("content-type");
  return {
    destination: url,
    headers: {
      "Content-Type": contentType,
      [`${headerPrefix}Method`]: "POST",
      ...Object.fromEntries(
        [...forward.values()].map(({ name, value }) => [`${headerPrefix}Forward-${name}`, value]),
      ),
      [`${headerPrefix}Deduplication-Id`]: deduplicationId,
    },
    body,
  };
}
