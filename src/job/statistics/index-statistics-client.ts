import { fetch, type Response } from "undici";
import { describeConnectionFailure, throughProxy } from "../../egress/connect-failure.ts";
import { createProxyAgent } from "../../egress/proxy-agent.ts";
import { proxyFor, type EgressConfig } from "../../egress/proxy-for.ts";
import { parseJson } from "../message/json-value.ts";
import { parseRetryMoment } from "../message/retry-after.ts";
import type { Clock } from "../contracts/clock.ts";
import { RedriverError } from "../contracts/errors.ts";
import type {
  IndexCredentials,
  IndexStatistics,
  IndexTarget,
  StatisticsReader,
} from "../contracts/index-statistics.ts";
import { parseStatistics } from "./parse-index-statistics.ts";

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
  readonly egress: EgressConfig;
}

/** GET {base}/v2/search/{id}/stats?period=… with Basic authentication (service-interface.md 4.4 and 5). */
export function createStatisticsClient(options: StatisticsClientOptions): StatisticsReader {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const proxy = proxyFor(new URL(baseUrl), options.egress);
  const dispatcher = proxy === null ? undefined : createProxyAgent(proxy);

  return {
    async read(target, credentials, signal) {
      const index = { ...target, through: throughProxy(proxy) };
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
          ...(dispatcher && { dispatcher }),
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
function retryAtOf(retryAfter: string | null, now: number): number {
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

/** `through`: a proxy between, for messages. */
type AskedIndex = IndexTarget & { readonly through: string };

function basic(index: AskedIndex, { user, password }: IndexCredentials): string {
  // RFC 7617: everything after the first colon is the password, so this user could never be recognised.
  if (user.includes(":")) {
    throw failure(index, "unauthorised", `expected a user without a colon; see ${setting(index)}`);
  }
  return `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
}

function refusal(index: AskedIndex, status: number, retryAt: number): RedriverError {
  const problem = `expected 200, got ${status}`;
  if (status === 401 || status === 403) {
    return failure(index, "unauthorised", `${problem}; see ${setting(index)}`, { status });
  }
  if (status === 429) return failure(index, "rate-limited", problem, { status, retryAt });
  if (status === 408 || status >= 500) return failure(index, "statistics-unavailable", problem, { status });
  const settings = `indexes.${index.name}.id and the base URL of the search API`;
  return failure(index, "source-misconfigured", `${problem}; see ${settings}`, { status });
}

function translate(
  cause: unknown,
  index: AskedIndex,
  signal: AbortSignal | undefined,
  timeout: AbortSignal,
  timeoutMs: number,
): RedriverError {
  if (cause instanceof RedriverError) return cause;
  if (cause instanceof BodyTooLong) {
    const problem = `expected at most ${maxAnswerBytes} bytes, got more`;
    return failure(index, "answer-unreadable", problem, { cause, status: 200 });
  }
  if (signal?.aborted === true) return failure(index, "stopped", "stopped before the answer", { cause });
  const problem = timeout.aborted ? `no answer within ${timeoutMs} ms` : describeConnectionFailure(cause);
  return failure(index, "statistics-unavailable", problem, { cause });
}

function decode(index: AskedIndex, text: string): IndexStatistics {
  const unreadable = (problem: string): RedriverError =>
    failure(index, "answer-unreadable", problem, { status: 200 });
  const answer = parseJson(text);
  // The parser's error would quote the answer, which may be anything.
  if (answer === undefined) throw unreadable("expected JSON, got something else");
  const parsed = parseStatistics(answer);
  if (parsed.kind === "statistics") return parsed.statistics;
  const [first] = parsed.problems;
  const place = first?.field ? ` at ${first.field}` : "";
  throw unreadable(`expected ${first?.expected ?? "statistics"}${place}, got ${first?.got ?? "nothing"}`);
}

function failure(
  index: AskedIndex,
  code: RedriverError["code"],
  problem: string,
  details?: ConstructorParameters<typeof RedriverError>[2],
): RedriverError {
  return new RedriverError(code, `statistics of index "${index.name}"${index.through}: ${problem}`, details);
}

function setting(index: AskedIndex): string {
  return `indexes.${index.name}.credentials`;
}
