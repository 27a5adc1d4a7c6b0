import { parseRetryMoment } from "../message/retry-after.ts";
import type { Clock } from "../ports/clock.ts";
import { RedriverError } from "../ports/errors.ts";
import type {
  IndexCredentials,
  IndexStatistics,
  IndexTarget,
  StatisticsReader,
} from "../ports/statistics.ts";
import { parseStatistics } from "./parse.ts";

/** 16 series of 240 points of about 75 bytes are 288 kB; ten times that is no statistics answer. */
const maxAnswerBytes = 3_000_000;

/** Without a usable Retry-After, a minute: the shortest schedule anybody needs for hourly statistics. */
const defaultWaitMs = 60_000;
/** A header that asks for more is not believed: the schedule asks again anyway. */
const maxWaitMs = 3_600_000;

export interface StatisticsClientOptions {
  readonly baseUrl: string;
  /** From the start of the request to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, "now">;
}

/** GET {base}/v2/search/{id}/stats?period=… with Basic authentication (service-interface.md 4.4 and 5). */
export function createStatisticsClient(options: StatisticsClientOptions): StatisticsReader {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");

  return {
    async read(index, credentials, signal) {
      const authorization = basic(index, credentials);
      const timeout = AbortSignal.timeout(options.timeoutMs);
      const url = `${baseUrl}/v2/search/${encodeURIComponent(index.id)}/stats?period=${index.period}`;
      let status: number;
      let text: string;
      try {
        const response = await fetch(url, {
          headers: { accept: "application/json", authorization },
          // A redirect would take the credentials to an address that is not configured.
          redirect: "manual",
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
        status = response.status;
        if (status !== 200) {
          await response.body?.cancel();
          throw refusal(index, status, retryAtOf(response.headers.get("retry-after"), options.clock.now()));
        }
        text = await readText(response, maxAnswerBytes);
      } catch (error) {
        throw translate(error, index, signal, timeout, options.timeoutMs);
      }
      return decode(index, text);
    },
  };
}

/** Unix ms until which the service asks for no further call. */
export function retryAtOf(retryAfter: string | null, now: number): number {
  const waitMs = (parseRetryMoment(retryAfter ?? "", now) ?? now + defaultWaitMs) - now;
  return now + Math.min(maxWaitMs, Math.max(0, waitMs));
}

/** The body as UTF-8 text. Throws BodyTooLong and drops the connection after more than `maxBytes`. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new BodyTooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

class BodyTooLong extends Error {}

function basic(index: IndexTarget, { user, password }: IndexCredentials): string {
  // RFC 7617: everything after the first colon is the password, so this user could never be recognised.
  if (user.includes(":")) {
    throw new RedriverError(
      "unauthorised",
      `${naming(index)}: expected a user without a colon; see ${setting(index)}`,
    );
  }
  return `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
}

function refusal(index: IndexTarget, status: number, retryAt: number): RedriverError {
  const problem = `${naming(index)}: expected 200, got ${status}`;
  if (status === 401 || status === 403) {
    return new RedriverError("unauthorised", `${problem}; see ${setting(index)}`, { status });
  }
  if (status === 429) return new RedriverError("rate-limited", problem, { status, retryAt });
  if (status === 408 || status >= 500)
    return new RedriverError("statistics-unavailable", problem, { status });
  return new RedriverError(
    "source-misconfigured",
    `${problem}; see indexes.${index.name}.id and the base URL of the search API`,
    { status },
  );
}

function translate(
  error: unknown,
  index: IndexTarget,
  signal: AbortSignal | undefined,
  timeout: AbortSignal,
  timeoutMs: number,
): RedriverError {
  if (error instanceof RedriverError) return error;
  if (error instanceof BodyTooLong) {
    return new RedriverError(
      "answer-unreadable",
      `${naming(index)}: expected at most ${maxAnswerBytes} bytes, got more`,
      { cause: error, status: 200 },
    );
  }
  if (signal?.aborted === true) {
    return new RedriverError("stopped", `${naming(index)}: stopped before the answer`, { cause: error });
  }
  if (timeout.aborted) {
    return new RedriverError("statistics-unavailable", `${naming(index)}: no answer within ${timeoutMs} ms`, {
      cause: error,
    });
  }
  return new RedriverError("statistics-unavailable", `${naming(index)}: the connection failed`, {
    cause: error,
  });
}

function decode(index: IndexTarget, text: string): IndexStatistics {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // The parser's error quotes the answer, which may be anything, so it is dropped.
    throw new RedriverError("answer-unreadable", `${naming(index)}: expected JSON, got something else`, {
      status: 200,
    });
  }
  const parsed = parseStatistics(answer);
  if (parsed.kind === "statistics") return parsed.statistics;
  const [first] = parsed.problems;
  throw new RedriverError(
    "answer-unreadable",
    `${naming(index)}: expected ${first?.expected ?? "statistics"}${first?.field ? ` at ${first.field}` : ""}, got ${first?.got ?? "nothing"}`,
    { status: 200 },
  );
}

function naming(index: IndexTarget): string {
  return `statistics of index "${index.name}"`;
}

function setting(index: IndexTarget): string {
  return `indexes.${index.name}.credentials`;
}
