import { createServer, type IncomingMessage } from "node:http";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import { serve } from "./serve.ts";

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test reads of an answer, it compares
  readonly body: any;
}

interface ReceiverAnswer {
  readonly status: number;
  readonly body?: Buffer;
}

/** A body that is not UTF-8. */
export const notText = Buffer.from([0x00, 0xff, 0xfe, 0x41]);

/** Fails what goes to `/dead` and takes everything else. */
export const failDead = (path: string): ReceiverAnswer => ({ status: path === "/dead" ? 500 : 200 });

/** An emulator called over plain HTTP, and a destination that keeps what came byte by byte. */
export class EmulatorStand {
  received: Received[] = [];
  answer: (path: string) => Promise<ReceiverAnswer> | ReceiverAnswer = () => ({ status: 200 });
  target = "";
  #emulator: Emulator | undefined;
  #closeReceiver: (() => Promise<void>) | undefined;
  readonly #receiver = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers } = request;
      this.received.push({ method, path: url, headers, body: Buffer.concat(chunks) });
      const { status, body = "" } = await this.answer(url ?? "");
      response.writeHead(status).end(body);
    })();
  });

  get emulator(): Emulator {
    if (this.#emulator === undefined) throw new Error("the emulator has not been started");
    return this.#emulator;
  }

  async start(options: EmulatorOptions = {}): Promise<void> {
    this.#emulator = await startEmulator({ retryScale: 0, ...options });
    const { url, close } = await serve(this.#receiver);
    this.target = url;
    this.#closeReceiver = close;
  }

  async close(): Promise<void> {
    await this.#emulator?.close();
    await this.#closeReceiver?.();
  }

  async call(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<Reply> {
    const response = await fetch(`${this.emulator.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.emulator.token}`, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  batch(items: unknown): Promise<Reply> {
    return this.call("POST", "/v2/batch", {}, JSON.stringify(items));
  }

  async letters(): Promise<Record<string, unknown>[]> {
    return (await this.call("GET", "/v2/dlq")).body.messages;
  }

  /** Paths of what came, sorted. */
  paths(): string[] {
    return this.received.map(({ path }) => String(path)).toSorted();
  }

  /** One message that has failed for good; returns its dlqId. What came until then is forgotten. */
  async deadLetter(headers: Record<string, string> = {}, body: string | Buffer = "x"): Promise<string> {
    this.answer = failDead;
    await this.call("POST", `/v2/publish/${this.target}/dead`, { "Upstash-Retries": "0", ...headers }, body);
    await this.emulator.idle();
    this.answer = () => ({ status: 200 });
    this.received = [];
    return String((await this.letters()).at(-1)!["dlqId"]);
  }
}
