import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";

export interface Posted {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The first bytes of the answer. */
  readonly body: string;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Resolves the host's name. Absent: as the system does. */
  readonly lookup?: LookupFunction;
}

const maxAnswerBytes = 4_096;

/** One POST on a connection of its own. Redirects are answers like others. Rejects if there is no answer. */
export async function post(url: URL, { headers, body, signal, lookup }: PostOptions): Promise<Posted> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const call = request(url, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    // Connections are not kept: another target may have made one under another check.
    agent: false,
    signal,
    ...(lookup === undefined ? {} : { lookup }),
  });
  // What fails after the answer has begun fails its reader.
  call.on("error", () => undefined);
  try {
    call.end(body);
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    const retryAfter = answer.headers["retry-after"] ?? null;
    return { status: answer.statusCode ?? 0, retryAfter, body: await readStart(answer) };
  } finally {
    call.destroy();
  }
}

async function readStart(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let room = maxAnswerBytes;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
    if (room <= 0) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
