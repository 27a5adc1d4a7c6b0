import { Client, QstashError } from "@upstash/qstash";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { startEmulator, type Emulator } from "../../dev/emulator/index.ts";
import { createReceiver, type Receiver } from "./receiver.ts";

/*
 * The TypeScript client of the production service, as it comes from its registry, against the emulator. Nothing about
 * it is changed but its address, its token, and that it does not repeat failed calls.
 */

/** Fresh for every test of the file. */
export interface OfficialClientStand {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
  readonly client: Client;
}

const realFetch = globalThis.fetch;

export function useOfficialClient(): OfficialClientStand {
  let current: OfficialClientStand | undefined;
  const known = (): OfficialClientStand => {
    if (current === undefined) throw new Error("the client is there only inside tests");
    return current;
  };

  beforeAll(() => {
    // The client reads its address and token from the environment where it can, and the emulator must be all
    // it knows.
    for (const name of Object.keys(process.env)) {
      if (/^(?:QSTASH|UPSTASH)_|_QSTASH_/.test(name)) vi.stubEnv(name, undefined);
    }
    vi.stubEnv("UPSTASH_DISABLE_TELEMETRY", undefined);
    vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.hostname !== "127.0.0.1") throw new Error(`a call to ${url.hostname}`);
      return realFetch(input, init);
    });
    // It prints each refused call.
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  beforeEach(async () => {
    const emulator = await startEmulator({ retryScale: 0 });
    const receiver = await createReceiver();
    const client = new Client({ baseUrl: emulator.url, token: emulator.token, retry: false });
    current = { emulator, receiver, client };
  });
  afterEach(async () => {
    await known().emulator.close();
    await known().receiver.close();
  });

  return {
    get emulator() {
      return known().emulator;
    },
    get receiver() {
      return known().receiver;
    },
    get client() {
      return known().client;
    },
  };
}

/** The error with which the client refuses a call. */
export async function failing(call: Promise<unknown>): Promise<QstashError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof QstashError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}
