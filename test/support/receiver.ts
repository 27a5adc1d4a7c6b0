import { createServer, type IncomingHttpHeaders } from "node:http";
import { serve } from "./serve.ts";

export interface Delivery {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A destination that remembers what came and answers as told. */
export interface Receiver {
  readonly url: string;
  readonly deliveries: Delivery[];
  /** The next answers, by path or for all: a status, or one with a body. */
  answer: (delivery: Delivery) => number | Answer;
  /** How often each body came. */
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** `answer`: its first one. */
export async function createReceiver(answer: Receiver["answer"] = () => 200): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const delivery = {
        path: request.url ?? "",
        method: request.method ?? "",
        headers: request.headers,
        body: bytes.toString("utf8"),
        bytes,
      };
      deliveries.push(delivery);
      const answer = receiver.answer(delivery);
      const { status, body } = typeof answer === "number" ? { status: answer, body: "" } : answer;
      response.writeHead(status).end(body);
    });
  });
  const { url, close } = await serve(server);
  const receiver: Receiver = {
    url,
    deliveries,
    answer,
    counts() {
      const counts = new Map<string, number>();
      for (const { body } of deliveries) counts.set(body, (counts.get(body) ?? 0) + 1);
      return counts;
    },
    close,
  };
  return receiver;
}
