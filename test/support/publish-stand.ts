import { createServer, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import { serve } from "./serve.ts";

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (received: Received) => {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

const accepts: Answer = () => ({ status: 200 });

/** An emulator that each test starts as it needs it, and a destination that answers as told. */
export function usePublishStand() {
  let emulator: Emulator | undefined;
  const running = (): Emulator => {
    if (emulator === undefined) throw new Error("the test starts the emulator first");
    return emulator;
  };
  const receiver = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers: sent } = request;
      const one = { method, path: url, headers: sent, body: Buffer.concat(chunks).toString() };
      stand.received.push(one);
      const { status, headers = {}, body = "" } = stand.answer(one);
      response.writeHead(status, headers).end(body);
    })();
  });

  let served: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => {
    emulator = undefined;
    stand.received = [];
    stand.answer = accepts;
    served = await serve(receiver);
    stand.target = served.url;
  });
  afterEach(async () => {
    await emulator?.close();
    await served.close();
  });

  const publish = async (items: unknown, token = running().token) => {
    const response = await fetch(`${running().url}/v2/batch`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: typeof items === "string" ? items : JSON.stringify(items),
    });
    return { status: response.status, body: await response.json() };
  };
  const stand = {
    get emulator() {
      return running();
    },
    /** Address of the destination. */
    target: "",
    received: [] as Received[],
    answer: accepts,
    async start(options: EmulatorOptions = {}): Promise<void> {
      emulator = await startEmulator({ retryScale: 0, ...options });
    },
    publish,
    /** The answer to a batch that was accepted. */
    async published(items: unknown) {
      const { status, body } = await publish(items);
      expect(status).toBe(200);
      return body as { messageId: string; deduplicated?: true }[];
    },
    async deadLetters(query = "") {
      const headers = { Authorization: `Bearer ${running().token}` };
      const response = await fetch(`${running().url}/v2/dlq${query}`, { headers });
      return ((await response.json()) as { messages: Record<string, unknown>[] }).messages;
    },
  };
  return stand;
}
