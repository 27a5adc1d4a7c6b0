import { createServer, type IncomingHttpHeaders } from "node:http";
import { expect, onTestFinished } from "vitest";
import { resolveOptions, type EmulatorOptions } from "../../dev/emulator/options.ts";
import { publishBatch } from "../../dev/emulator/publish/publish-batch.ts";
import { serve } from "./serve.ts";
import { createEmulatorCore } from "../../dev/emulator/emulator-parts.ts";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export type Stand = Awaited<ReturnType<typeof createStand>>;

/** Everything of the emulator but its sockets, and a real destination that answers as told. */
export async function createStand(options: EmulatorOptions = {}) {
  let underWay = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const call = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      stand.calls.push(call);
      stand.mostAtOnce = Math.max(stand.mostAtOnce, ++underWay);
      void (async () => {
        const { status, headers = {}, body = "" } = await stand.answer(call);
        underWay--;
        response.writeHead(status, headers).end(body);
      })();
    });
  });
  const { url, close } = await serve(server);
  const core = createEmulatorCore(resolveOptions({ retryScale: 0, ...options }));
  onTestFinished(async () => {
    await core.deliveries.end();
    await close();
  });

  const calls: Call[] = [];
  const stand = {
    core,
    url,
    calls,
    /** How many calls were under way at most at the same time. */
    mostAtOnce: 0,
    answer: (_call: Call): CallAnswer | Promise<CallAnswer> => ({ status: 200 }),
    /** Publishes as the batch call does; returns the ids in order. */
    publish(items: readonly object[]): string[] {
      const answers = JSON.parse(publishBatch(core, items, "127.0.0.1").body.toString()) as unknown[];
      return answers.flat().map((answer) => (answer as { messageId: string }).messageId);
    },
    /** What the DLQ holds, oldest first. */
    deadLetters: () =>
      core.journal
        .entries("dead-lettered")
        .map(({ dlqId }) => core.deadLetters.find(dlqId) as Record<string, unknown>),
    /** Bodies of the calls in the order in which they came. */
    bodies: () => calls.map(({ body }) => body),
    callsTo: (path: string) => calls.filter((call) => call.path === path),
    /** Resolves when that many calls have come. */
    called: (times: number) => expect.poll(() => calls.length, { interval: 5, timeout: 5_000 }).toBe(times),
  };
  return stand;
}

/** A promise that the test resolves. */
export function createGate<T>(): { readonly passed: Promise<T>; open(value: T): void } {
  let open!: (value: T) => void;
  const passed = new Promise<T>((resolve) => (open = resolve));
  return { passed, open: (value) => open(value) };
}
