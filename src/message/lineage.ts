import type { DlqId, MessageId } from "./dead-letter.ts";

/** What travels with a redriven message in one signed forwarded header (`X-Redriver: v1.<payload>.<tag>`). */
export interface Lineage {
  /** Redrives made so far, this one included: 1 on the first republish. */
  readonly attempt: number;
  /** The messageId of the message that failed first. */
  readonly rootId: MessageId;
  /** Unix milliseconds. */
  readonly rootCreatedAt: number;
  readonly rootMaxRetries: number | null;
  readonly rootDestination: string;
  /** The dead letter that this message was republished from. */
  readonly parentDlqId: DlqId;
}

/**
 * What a dead letter's lineage header says.
 * `come-back`: tag and body are ours, so its parent was published.
 * `inherited`: our tag over another body: a receiver passed the header on; this is a new root.
 * `untrusted`: the tag does not hold; its attempt count may make us more careful and nothing else.
 */
export type LineageReading =
  | { readonly kind: "none" }
  | { readonly kind: "come-back"; readonly lineage: Lineage }
  | { readonly kind: "inherited" }
  | { readonly kind: "untrusted"; readonly attempt: number };
