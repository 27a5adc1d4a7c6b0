import { serveControlApi } from "./control/control-api.ts";
import { recordsSchema, textsSchema, type SeedRecord } from "./dlq/seeded-record.ts";
import type { GenerateOptions } from "./fill/generate-options.ts";
import { listen } from "./http/http-server.ts";
import { accept } from "./check-input.ts";
import { serveMessageApi } from "./api/answer-request.ts";
import { adjust, resolveOptions, type Adjustable, type Adjustment, type EmulatorOptions } from "./options.ts";
import type { Endpoint } from "./publish/groups-and-queues.ts";
import type { IndexValues } from "./statistics/index-statistics-answer.ts";
import { createEmulatorCore, endParts, resetEmulatorCore } from "./emulator-parts.ts";

/** A running emulator. The in-process way to what the control API does over HTTP. */
export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

// A batch may be 100 MB; what surrounds it is not counted exactly.
const maxBatchBytes = 100_000_000;
const maxControlBytes = 1_000_000_000;

export async function startEmulator(options: EmulatorOptions = {}) {
  const { load, generate, signal, ...chosen } = options;
  const settings = resolveOptions(chosen);
  const core = createEmulatorCore(settings);
  const stopFilling = (): void => core.filler.stop();
  signal?.addEventListener("abort", stopFilling);
  // What is wrong with a file or an option is known before anybody can connect.
  if (load !== undefined) await core.filler.load(load);
  signal?.throwIfAborted();
  if (generate !== undefined) await core.filler.generate(generate);
  signal?.throwIfAborted();
  signal?.removeEventListener("abort", stopFilling);
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
    await Promise.all([api.close(), control.close(), endParts(core)]);
  };
  const { headerPrefix, statsCredentials } = settings;
  const { journal, clock } = core;
  return {
    /** Base address of the message API and of the statistics API, without a trailing slash. */
    url: api.url,
    controlUrl: control.url,
    get token() {
      return core.token;
    },
    headerPrefix,
    statsCredentials,
    get signingKeys() {
      return settings.signingKeys;
    },
    get faults() {
      return core.faults;
    },
    journal,
    dlq: {
      get size() {
        return core.deadLetters.size;
      },
      /** Puts records there directly, all or none; returns their dlqIds, in the order given. */
      seed: (records: readonly SeedRecord[]) =>
        core.deadLetters.seed(accept(recordsSchema, { records }).records),
      /** The same with records whose JSON is listed byte by byte. */
      seedTexts: (texts: readonly string[]) =>
        core.deadLetters.seedTexts(accept(textsSchema, { texts }).texts),
      find: (dlqId: string) => core.deadLetters.find(dlqId),
      /** Deletes as if they had expired or somebody else had; returns the ids that were there. */
      remove: (dlqIds: readonly string[]) => core.deadLetters.remove(dlqIds),
      /** Makes up records; answers how many, fewer when a reset or the end came in between. */
      generate: (wishes: GenerateOptions) => core.filler.generate(wishes),
    },
    clock,
    get pending() {
      return core.deliveries.pending;
    },
    idle: () => core.deliveries.idle(),
    setToken: (token: string): void => {
      core.token = token;
    },
    settings: settings as Adjustable,
    /** Changes what is given and leaves the rest; a reset takes it back. */
    adjust: (adjustment: Adjustment) => adjust(settings, adjustment),
    putUrlGroup: (name: string, endpoints: readonly Endpoint[]) =>
      core.directory.putUrlGroup(name, endpoints),
    putQueue: (name: string, parallelism: number) => core.directory.putQueue(name, parallelism),
    /** Sets values of an index's statistics, or makes a new index. */
    putIndex: (id: string, values: IndexValues) => core.indexes.put(id, values),
    /** Forgets everything but token and clock; the settings are again what they were at the start. */
    reset: () => resetEmulatorCore(core),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}
