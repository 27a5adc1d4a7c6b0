import { accept, bodies } from "./control/bodies.ts";
import { serveControlApi } from "./control/control-api.ts";
import type { DeadLetter } from "./dlq/dead-letter.ts";
import type { SeedRecord } from "./dlq/seed.ts";
import type { Faults } from "./faults/faults.ts";
import type { GenerateOptions } from "./fill/generate-options.ts";
import { listen } from "./http/listener.ts";
import type { Journal } from "./journal.ts";
import { serveMessageApi } from "./message-api.ts";
import {
  adjust,
  resolveOptions,
  type Adjustable,
  type Adjustment,
  type Credentials,
  type EmulatorOptions,
  type SigningKeys,
} from "./options.ts";
import type { Endpoint } from "./publish/directory.ts";
import type { IndexValues } from "./statistics/index-values.ts";
import { createWorld, resetWorld, type World } from "./world.ts";

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
    find(dlqId: string): DeadLetter | undefined;
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
  const settings = resolveOptions(options);
  const world = createWorld(settings);
  await fillAtStart(world, options);
  const now = (): number => world.clock.now();
  const api = await listen({
    host: settings.host,
    port: settings.port,
    now,
    maxBodyBytes: maxBatchBytes,
    handle: (exchange) => serveMessageApi(world, exchange),
  });
  const control = await listen({
    host: settings.controlHost,
    port: settings.controlPort,
    now,
    maxBodyBytes: maxControlBytes,
    handle: (exchange) => serveControlApi(world, exchange),
  }).catch(async (error: unknown) => {
    await api.close();
    throw error;
  });

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    world.filling.stop();
    const closed = Promise.all([api.close(), control.close(), world.deliveries.close()]);
    world.faults.clear();
    await closed;
  };
  return {
    url: api.url,
    controlUrl: control.url,
    get token() {
      return world.token;
    },
    headerPrefix: settings.headerPrefix,
    statsCredentials: settings.statsCredentials,
    signingKeys: settings.signingKeys,
    faults: world.faults,
    journal: world.journal,
    dlq: {
      get size() {
        return world.deadLetters.size;
      },
      seed: (records) => world.deadLetters.seed(accept(bodies.records, { records }).records),
      find: (dlqId) => world.deadLetters.find(dlqId),
      remove: (dlqIds) => world.deadLetters.remove(dlqIds),
      generate: (options) => world.filling.generate(options),
    },
    clock: world.clock,
    get pending() {
      return world.deliveries.pending;
    },
    idle: () => world.deliveries.idle(),
    setToken: (token) => {
      world.token = token;
    },
    settings,
    adjust: (adjustment) => adjust(settings, adjustment),
    putUrlGroup: (name, endpoints) => void world.directory.putUrlGroup(name, endpoints),
    putQueue: (name, parallelism) => void world.directory.putQueue(name, parallelism),
    putIndex: (id, values) => world.indexes.put(id, values),
    reset: () => resetWorld(world),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/** What is wrong with a file or an option is known before anybody can connect. */
async function fillAtStart({ filling }: World, { load, generate, signal }: EmulatorOptions): Promise<void> {
  const stop = (): void => filling.stop();
  signal?.addEventListener("abort", stop);
  if (load !== undefined) await filling.load(load);
  signal?.throwIfAborted();
  if (generate !== undefined) await filling.generate(generate);
  signal?.throwIfAborted();
  signal?.removeEventListener("abort", stop);
}
