import type { SourceConfig } from "../../ports/drains.ts";

/** Where canaries of a source are called back; undefined where no callbacks are configured. An id needs no escape. */
export function proofAddressOf({
  id,
  callbacks,
}: Pick<SourceConfig, "id" | "callbacks">): string | undefined {
  return callbacks === undefined ? undefined : `${callbacks.url}/${id}`;
}
