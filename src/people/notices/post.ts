import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { createProxyAgent } from "../../egress/proxy-agent.ts";
import type { ForwardProxy } from "../../egress/proxy-for.ts";

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
  /** Resolves the host's name. Absent: as the system does. A proxy resolves it by itself. */
  readonly lookup?: LookupFunction;
  readonly proxy?: ForwardProxy | null;
}

const maxAnswerBytes = 4_096;

/** One POST on a connection of its own. Redirects are answers like others. Rejects if there is no answer. */
export async function post(url: URL, { headers, body, signal, lookup, proxy }: PostOptions): Promise<Posted> {
  // Connections are not kept: another target may have made one under another check.
  const dispatcher = proxy ? createProxyAgent(proxy) : new Agent({ connect: { ...(lookup && { lookup }) } });
  try {
    const answer = await request(url, { method: "POST", headers, body, signal, dispatcher });
    const retryAfter = answer.headers["retry-after"];
    return {
      status: answer.statusCode,
      retryAfter: typeof retryAfter === "string" ? retryAfter : null,
      body: await readStart(answer.body),
    };
  } finally {
    await dispatcher.destroy();
  }
}

async function readStart(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let room = maxAnswerBytes;
  for await (const chunk of answer) {
    chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
    if (room <= 0) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
