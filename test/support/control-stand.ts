import { createServer } from "node:http";
import { afterEach, beforeEach } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/index.ts";
import { serve } from "./serve.ts";

export interface Told {
  readonly status: number;
  readonly body: unknown;
}

export interface ListPage {
  readonly cursor?: string;
  readonly messages: readonly { readonly messageId: string; readonly dlqId: string }[];
}

export interface JournalPage {
  readonly entries: readonly { readonly type: string; readonly seq: number; readonly at: number }[];
  readonly next?: number;
  readonly last: number;
  readonly forgotten?: number;
}

/** An emulator asked over both its APIs, and a destination that takes everything. */
export interface ControlStand {
  /** Of the test that runs. */
  readonly emulator: Emulator;
  /** Address of the destination. */
  readonly target: string;
  /** Another emulator in its place. */
  restart(options: EmulatorOptions): Promise<void>;
  control(method: string, path: string, body?: unknown): Promise<Told>;
  journal(query: string): Promise<JournalPage>;
  /** A request with the token, to the message API. */
  call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response>;
  batch(items: readonly object[], signal?: AbortSignal): Promise<Response>;
  /** So many messages to the destination, their bodies `body-0` and so on. */
  publish(
    count?: number,
    signal?: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  dlq(method?: string, query?: string): Promise<Response>;
  page(query: string): Promise<ListPage>;
}

/** Fresh for every test of the file. */
export function useControlStand(): ControlStand {
  let emulator: Emulator | undefined;
  let target = "";
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  });
  const running = (): Emulator => {
    if (emulator === undefined) throw new Error("the emulator is there only inside tests");
    return emulator;
  };

  let served: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => {
    emulator = await startEmulator({ retryScale: 0 });
    served = await serve(receiver);
    target = served.url;
  });
  afterEach(async () => {
    await running().close();
    await served.close();
  });

  const call: ControlStand["call"] = (method, path, body, signal) =>
    fetch(`${running().url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${running().token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const batch: ControlStand["batch"] = (items, signal) => call("POST", "/v2/batch", items, signal);
  const dlq: ControlStand["dlq"] = (method = "GET", query = "") => call(method, `/v2/dlq${query}`);
  const control: ControlStand["control"] = async (method, path, body) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${running().controlUrl}/_control${path}`, init);
    return { status: response.status, body: await response.json() };
  };

  return {
    get emulator() {
      return running();
    },
    get target() {
      return target;
    },
    async restart(options) {
      await running().close();
      emulator = await startEmulator(options);
    },
    control,
    journal: async (query) => (await control("GET", `/journal${query}`)).body as JournalPage,
    call,
    batch,
    publish: (count = 3, signal, headers) =>
      batch(
        Array.from({ length: count }, (_, n) => ({
          destination: target,
          body: `body-${n}`,
          ...(headers === undefined ? {} : { headers }),
        })),
        signal,
      ),
    dlq,
    page: async (query) => (await (await dlq("GET", query)).json()) as ListPage,
  };
}
