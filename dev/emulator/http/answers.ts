import type { Operation } from "../journal.ts";

export interface EmulatorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Ends a connection politely (FIN) or not (RST). */
export type Close = "fin" | "reset";

/** Instead of an answer: the connection ends, at once or in the middle of the given answer. */
interface HangUp {
  readonly hangUp: Close;
  readonly inTheMiddleOf?: EmulatorAnswer;
}

/** An answer that stops half way until it may go on; where it may not, the connection ends. */
interface AnswerPause {
  readonly pauseIn: EmulatorAnswer;
  readonly goesOn: Promise<boolean>;
}

export type Reply = EmulatorAnswer | HangUp | AnswerPause;

export const json = (
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): EmulatorAnswer => ({
  status,
  headers,
  body: JSON.stringify(value),
});

export const errorAnswer = (
  status: number,
  error: string,
  headers?: Record<string, string>,
): EmulatorAnswer => json(status, { error }, headers);

/** 404 if there is nothing. */
export const jsonOf = (value: unknown, what: string): EmulatorAnswer =>
  value === undefined ? errorAnswer(404, `${what} not found`) : json(200, value);

/** An error as the API of that operation words it: the statistics API has a form of its own. */
export const errorFor = (
  operation: Operation,
  status: number,
  error: string,
  headers?: Record<string, string>,
): EmulatorAnswer =>
  operation === "statistics"
    ? json(status, { code: status, message: error }, headers)
    : errorAnswer(status, error, headers);

/** The headers of a 429 with nothing left; `reset` is in unix seconds. */
export function limitHeaders(
  limit: "burst" | "daily",
  allowed: number,
  reset: number,
): Record<string, string> {
  const start = limit === "burst" ? "Burst-RateLimit" : "RateLimit";
  return {
    [`${start}-Limit`]: String(allowed),
    [`${start}-Remaining`]: "0",
    [`${start}-Reset`]: String(reset),
  };
}

/** The status that is sent; 0 where none is meant to arrive. */
export function statusOf(reply: Reply): number {
  if ("hangUp" in reply) return 0;
  return "pauseIn" in reply ? reply.pauseIn.status : reply.status;
}
