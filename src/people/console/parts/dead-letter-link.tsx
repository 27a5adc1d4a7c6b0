import type { Html } from "../screen.ts";
import { Foreign } from "./text.tsx";

export function messagePath(source: string, dlqId: string): string {
  return `/messages/${encodeURIComponent(source)}/${encodeURIComponent(dlqId)}`;
}

/** An id, with the page of its dead letter behind it. */
export function DeadLetterLink({ source, dlqId }: { readonly source: string; readonly dlqId: string }): Html {
  return (
    <a href={messagePath(source, dlqId)}>
      <Foreign text={dlqId} />
    </a>
  );
}
