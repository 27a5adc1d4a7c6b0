import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { createProxyAgent } from "../../egress/proxy-agent.ts";
import type { ForwardProxy } from "../../egress/proxy-for.ts";
import { lookup as systemLookup } from "node:dns";
import { isPrivateHost } from "../../job/message/private-host.ts";

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
export async function post(url: URL, { headers, body, signal, lookup, proxy }: PostOptions) {
  // Connections are not kept: another target may have made one under another check.
  const dispatcher = proxy ? createProxyAgent(proxy) : new Agent({ connect: { ...(lookup && { lookup }) } });
  try {
    const answer = await request(url, { method: "POST", headers, body, signal, dispatcher });
    const retryAfter = answer.headers["retry-after"];
    return {
      status: answer.statusCode,
      retryAfter: typeof retryAfter === "string" ? retryAfter : null,
      /** The first bytes of the answer. */
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

export class PrivateAddress extends Error {
  constructor() {
    super("its name leads to a private address");
    this.name = "PrivateAddress";
  }
}

/**
 * Resolves a name, and fails with `PrivateAddress` if any of its addresses is private. The socket connects to what
 * this answers, so a name cannot change between the check and the call. Never asked for an address.
 */
export function createPublicLookup(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, answer) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return answer(error, "", 0);
      if (addresses.some((one) => isPrivateAddress(one.address, one.family))) {
        return answer(new PrivateAddress(), "", 0);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return answer(null, addresses);
      answer(null, first.address, first.family);
    });
  };
}

function isPrivateAddress(address: string, family: number): boolean {
  // A zone (`%eth0`) is no part of it.
  const [plain = ""] = address.split("%");
  return isPrivateHost(family === 6 ? `[${plain}]` : plain);
}
