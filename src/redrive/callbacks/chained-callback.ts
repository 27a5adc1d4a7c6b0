import type { BatchItem, DeduplicationId } from "../../message/dead-letter.ts";
import { toForwardHeaders } from "../../message/forward-headers.ts";
import type { OwnCallback } from "../../message/proof-callback.ts";

/**
 * A callback that we got in place of another, as a message to that other: what the service would have sent, signed by it and tried again
 * as often. `body` as it came. Null where its headers cannot be sent.
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
