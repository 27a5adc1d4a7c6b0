import { connect } from "node:net";

/** What came back over a socket until its end, or until the deadline. */
export interface RawEnd {
  /**
   * "answered": the other side closed after an answer. "closed": without one. "hung": neither, until the
   * deadline.
   */
  readonly end: "answered" | "closed" | "hung";
  /** 0 without an answer; of several answers the first. */
  readonly status: number;
  readonly body: string;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  /** As it goes over the wire: nothing is encoded. Latin-1. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer;
}

/** One well-framed request on a connection of its own. */
export function sendRaw(url: string, request: RawRequest, deadlineMs: number): Promise<RawEnd> {
  const { method, target, headers, body = Buffer.alloc(0) } = request;
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: emulator",
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body.length > 0 || method === "POST" || method === "PUT" ? [`Content-Length: ${body.length}`] : []),
    "",
    "",
  ].join("\r\n");
  return sendBytes(url, [Buffer.from(head, "latin1"), body], deadlineMs);
}

/** Writes the bytes, and ends this side only if told to. */
export function sendBytes(
  url: string,
  parts: readonly Buffer[],
  deadlineMs: number,
  after: "wait" | "end" | "destroy" = "wait",
): Promise<RawEnd> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, deadlineMs);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(toEnd(Buffer.concat(chunks).toString("utf8"), hung));
    });
    socket.on("connect", () => {
      for (const part of parts) socket.write(part);
      if (after === "end") socket.end();
      if (after === "destroy") socket.end(() => socket.destroy());
    });
  });
}

function toEnd(text: string, hung: boolean): RawEnd {
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
  const headEnd = text.indexOf("\r\n\r\n");
  const body = headEnd < 0 ? "" : text.slice(headEnd + 4);
  if (hung) return { end: "hung", status, body, text };
  return { end: status === 0 ? "closed" : "answered", status, body, text };
}
