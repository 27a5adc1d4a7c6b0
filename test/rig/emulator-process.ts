import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createEmulatorClient, type EmulatorAddresses } from "../../dev/demo/emulator-client.ts";
import type { EntryOf, JournalEntry, SeedRecord } from "../../dev/emulator/index.ts";
import { startChild, type Child, type ChildOptions } from "./child.ts";

const followed = [
  "accepted",
  "dead-lettered",
  "deduplicated",
  "deleted",
  "delivery",
  "lost",
  "request",
  "retried",
] as const;
type Followed = (typeof followed)[number];

/**
 * `redriver emulator` as a process, seen through its control API and, for what is in the DLQ, through its
 * message API.
 */
export type EmulatorProcess = Awaited<ReturnType<typeof followEmulator>>;

/** Of one call. */
const maxSeedBytes = 50_000_000;
const maxSeedRecords = 2_000;

export interface EmulatorProcessOptions extends Omit<ChildOptions, "onLine" | "procsFile"> {
  readonly program: string;
  /** Called with each entry of the journal that is followed, in their order, about once a second. */
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
}

/** The command with which it takes free ports, says which, and ends with whoever started it. */
export const emulatorCommand = [
  "emulator",
  "--json",
  "--port",
  "0",
  "--control-port",
  "0",
  "--stop-with-parent",
] as const;

/** `args`: options of the command besides its ports. */
export async function startEmulatorProcess(options: EmulatorProcessOptions) {
  const args = [options.program, ...emulatorCommand, ...options.args];
  return await followEmulator(startChild({ ...options, args }), options.onEntry);
}

/** `child` runs `emulatorCommand`, wherever. */
export async function followEmulator(child: Child, onEntry?: EmulatorProcessOptions["onEntry"]) {
  const [line] = (await once(createInterface({ input: child.process.stdout! }), "line")) as [string];
  const addresses = JSON.parse(line) as EmulatorAddresses;
  const client = createEmulatorClient(addresses);
  const entries = new Map<Followed, JournalEntry[]>(followed.map((type) => [type, []]));
  let lastSeq = 0;

  async function follow(): Promise<void> {
    for (const entry of await client.journal(followed, lastSeq)) {
      entries.get(entry.type)?.push(entry);
      onEntry?.(entry);
      lastSeq = entry.seq;
    }
  }
  // It keeps 200,000 entries; reading them now and then misses none.
  let reading: Promise<void> = Promise.resolve();
  const read = (): Promise<void> => (reading = reading.then(follow));
  const ended = new AbortController();
  void (async () => {
    while (!ended.signal.aborted) {
      await read().catch(() => undefined);
      await delay(1_000, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();

  return {
    url: addresses.url,
    token: addresses.token,
    control: client.control,
    service: client.service,
    state: client.state,
    async seed(records: readonly SeedRecord[]): Promise<void> {
      for (const some of toPortions(records)) await client.control("POST", "/dlq", { records: some });
    },
    /** All of them so far, oldest first. */
    async journal<Type extends Followed>(type: Type): Promise<readonly EntryOf<Type>[]> {
      await read();
      return [...(entries.get(type) ?? [])] as EntryOf<Type>[];
    },
    /** All that is in the DLQ: body by dlqId. */
    list: async (): Promise<ReadonlyMap<string, string>> =>
      new Map((await client.listDlq()).map(({ dlqId, body }) => [dlqId, body])),
    async close(): Promise<void> {
      ended.abort();
      await child.kill();
    },
  };
}

function toPortions(records: readonly SeedRecord[]): readonly (readonly SeedRecord[])[] {
  const portions: SeedRecord[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const own = String(record["body"]).length;
    const last = portions.at(-1);
    if (last === undefined || last.length === maxSeedRecords || bytes + own > maxSeedBytes) {
      portions.push([record]);
      bytes = own;
    } else {
      last.push(record);
      bytes += own;
    }
  }
  return portions;
}
