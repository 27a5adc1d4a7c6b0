import type { SourceConfig } from "../../ports/drains.ts";

/** The callback address for canaries of a source; undefined without configured callbacks. A source id needs no escape. */
export function proofAddressOf({
  id,
  callbacks,
}: Pick<SourceConfig, "id" | "callbacks">): string | undefined {
  return callbacks === undefined ? undefined : `${callbacks.url}/${id}`;
}
