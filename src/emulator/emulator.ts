import { serveControlApi } from "./control/control-api.ts";
import type { StoredDeadLetter } from "./dlq/stored-dead-letter.ts";
import { recordsSchema, type SeedRecord } from "./dlq/seed-record.ts";
import type { Faults } from "./faults/faults.ts";
import type { GenerateOptions } from "./fill/generate-options.ts";
import { listen } from "./http/http-server.ts";
import { accept } from "./http/json-body.ts";
import type { Journal } from "./journal.ts";
import { serveMessageApi } from "./api/message-api.ts";
import {
  adjust,
  resolveOptions,
  type Adjustable,
  type Adjustment,
  type Credentials,
  type EmulatorOptions,
  type StartOptions,
  type SigningKeys,
} from "./options.ts";
import type { Endpoint } from "./publish/directory.ts";
import type { IndexValues } from "./statistics/index-values.ts";
import { createEmulatorCore, resetEmulatorCore, type EmulatorCore } from "./emulator-core.ts";

/** A running emulator. The in-process way to what the control API does over HTTP. */
export interface Emulator extends AsyncDisposable {
  /** Base address of the message API and of the statistics API, without a trailing slash. */
  readonly url: string;
  readonly controlUrl: string;
  /** The bearer token in force. */
  readonly token: string;
  readonly headerPrefix: string;
  readonly statsCredentials: Credentials;
  readonly signingKeys: SigningKeys;
  readonly faults: Pick<Faults, "add" | "list" | "release" | "remove">;
  readonly journal: Pick<Journal, "entries" | "counts" | "waitFor">;
  readonly dlq: {
    readonly size: number;
    /** Puts records there directly, all or none; returns their dlqIds, in the order given. */
    seed(records: readonly SeedRecord[]): string[];
    find(dlqId: string): StoredDeadLetter | undefined;
    /** Deletes as if they had expired or somebody else had; returns the ids that were there. */
    remove(dlqIds: readonly string[]): string[];
    /** Makes up records; answers how many, fewer when a reset or the end came in between. */
    generate(options: GenerateOptions): Promise<number>;
  };
  readonly clock: { now(): number; advance(ms: number): void };
  /** Messages and callbacks that have not ended, those waiting for a retry included. */
  readonly pending: number;
  /** Resolves when nothing is pending. */
  idle(): Promise<void>;
  setToken(token: string): void;
  /** What may change while it runs, as it is now. */
  readonly settings: Adjustable;
  /** Changes what is given and leaves the rest; a reset takes it back. */
  adjust(adjustment: Adjustment): void;
  putUrlGroup(name: string, endpoints: readonly Endpoint[]): void;
  putQueue(name: string, parallelism: number): void;
  /** Sets values of an index's statistics, or makes a new index. */
  putIndex(id: string, values: IndexValues): void;
  /** Forgets everything but token and clock; the settings are again what they were at the start. */
  reset(): Promise<void>;
  /** Ends sockets, timers and deliveries. */
  close(): Promise<void>;
}

// A batch may be 100 MB; what surrounds it is not counted exactly.
const maxBatchBytes = 100_000_000;
const maxControlBytes = 1_000_000_000;

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { load, generate, signal, ...chosen } = options;
  const settings = resolveOptions(chosen);
  const core = createEmulatorCore(settings);
  await fillAtStart(core, { load, generate, signal });
  const now = (): number => core.clock.now();
  const api = await listen({
    host: settings.host,
    port: settings.port,
    now,
    maxBodyBytes: maxBatchBytes,
    handle: (exchange) => serveMessageApi(core, exchange),
  });
  const control = await listen({
    host: "127.0.0.1",
    port: settings.controlPort,
    now,
    maxBodyBytes: maxControlBytes,
    handle: (exchange) => serveControlApi(core, exchange),
  }).catch(async (error: unknown) => {
    await api.close();
    throw error;
  });

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    core.filler.stop();
    const closed = Promise.all([api.close(), control.close(), core.deliveries.close()]);
    core.faults.clear();
    await closed;
  };
  return {
    url: api.url,
    controlUrl: control.url,
    get token() {
      return core.token;
    },
    headerPrefix: settings.headerPrefix,
    statsCredentials: settings.statsCredentials,
    signingKeys: settings.signingKeys,
    faults: core.faults,
    journal: core.journal,
    dlq: {
      get size() {
        return core.deadLetters.size;
      },
      seed: (records) => core.deadLetters.seed(accept(recordsSchema, { records }).records),
      find: (dlqId) => core.deadLetters.find(dlqId),
      remove: (dlqIds) => core.deadLetters.remove(dlqIds),
      generate: (options) => core.filler.generate(options),
    },
    clock: core.clock,
    get pending() {
      return core.deliveries.pending;
    },
    idle: () => core.deliveries.idle(),
    setToken: (token) => {
      core.token = token;
    },
    settings,
    adjust: (adjustment) => adjust(settings, adjustment),
    putUrlGroup: (name, endpoints) => void core.directory.putUrlGroup(name, endpoints),
    putQueue: (name, parallelism) => void core.directory.putQueue(name, parallelism),
    putIndex: (id, values) => core.indexes.put(id, values),
    reset: () => resetEmulatorCore(core),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** What is wrong with a file or an option is known before anybody can connect. */
async function fillAtStart(
  { filler }: EmulatorCore,
  { load, generate, signal }: StartOptions,
): Promise<void> {
  const stop = (): void => filler.stop();
  signal?.addEventListener("abort", stop);
  if (load !== undefined) await filler.load(load);
  signal?.throwIfAborted();
  if (generate !== undefined) await filler.generate(generate);
  signal?.throwIfAborted();
  signal?.removeEventListener("abort", stop);
}
