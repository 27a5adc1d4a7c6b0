/** What must never be. */
export const rules = {
  lost: "no dead letter is lost: each is in the queue, accepted, in the archive, or past its age",
  doubled: "none is accepted more than once but where the audit declared it before",
  "deleted-unproven": "none is deleted before its acceptance or its place in the archive",
  "filter-delete": "nothing is deleted but by exact ids",
  "foreign-id": "everything is published under redriver's own id of a known dead letter",
  altered: "bodies arrive as they were",
  "against-the-rules":
    "what is to be dropped, parked or held is not published, and what is to stay is not deleted",
  expired: "what vanished by its age was in the archive before",
  crashed: "no daemon ends that was not made to",
  "unexpected-error": "no daemon meets an error that it has no code for",
  leaked: "no token, body or header value is in a log line, in Redis or on the metrics page",
  stalled:
    "while nothing is broken nothing waits longer than the takeover and a sweep, but for what is excused by name",
  emulator: "the judge and the emulator agree on what is in the queue",
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  readonly text: string;
  /** Unix ms. */
  readonly at: number;
}

/** One acceptance more than one. */
export interface Double {
  readonly dlqId: string;
  /** The word by which the audit declared it. */
  readonly why: string;
  readonly apartMs: number;
}
