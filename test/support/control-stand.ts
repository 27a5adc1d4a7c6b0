import { createServer } from "node:http";
import { afterEach, beforeEach } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
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

/** An emulator asked over both its APIs, and a destination that takes everything; fresh for every test. */
export function useControlStand() {
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

  /** A request with the token, to the message API. */
  const call = (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(`${running().url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${running().token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const batch = (items: readonly object[], signal?: AbortSignal): Promise<Response> =>
    call("POST", "/v2/batch", items, signal);
  const dlq = (method = "GET", query = ""): Promise<Response> => call(method, `/v2/dlq${query}`);
  const control = async (method: string, path: string, body?: unknown): Promise<Told> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${running().controlUrl}/_control${path}`, init);
    return { status: response.status, body: await response.json() };
  };

  return {
    get emulator() {
      return running();
    },
    /** Address of the destination. */
    get target() {
      return target;
    },
    /** Another emulator in its place. */
    async restart(options: EmulatorOptions): Promise<void> {
      await running().close();
      emulator = await startEmulator(options);
    },
    control,
    journal: async (query: string) => (await control("GET", `/journal${query}`)).body as JournalPage,
    call,
    batch,
    /** So many messages to the destination, their bodies `body-0` and so on. */
    publish: (count = 3, signal?: AbortSignal, headers: Readonly<Record<string, string>> = {}) =>
      batch(
        Array.from({ length: count }, (_, n) => ({ destination: target, body: `body-${n}`, headers })),
        signal,
      ),
    dlq,
    page: async (query: string) => (await (await dlq("GET", query)).json()) as ListPage,
  };
}
