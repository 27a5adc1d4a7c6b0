import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { EntryOf, JournalEntry, SeedRecord } from "../../src/emulator/index.ts";
import { startChild, type ChildOptions } from "./child.ts";

const followed = [
  "accepted",
  "dead-lettered",
  "deduplicated",
  "deleted",
  "delivery",
  "lost",
  "request",
] as const;
type Followed = (typeof followed)[number];

/** `redriver emulator` as a process, seen through its control API and, for what is in the DLQ, through its message API. */
export interface EmulatorProcess {
  readonly url: string;
  readonly token: string;
  seed(records: readonly SeedRecord[]): Promise<void>;
  state(): Promise<{ readonly now: number; readonly pending: number; readonly dlqSize: number }>;
  advance(ms: number): Promise<void>;
  /** Changes some of its settings. */
  adjust(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** All of them so far, oldest first. */
  journal<Type extends Followed>(type: Type): Promise<readonly EntryOf<Type>[]>;
  /** The control API, below `/_control`. Rejects where it refuses. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** All that is in the DLQ: body by dlqId. */
  list(): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

const perSeeding = 2_000;
const perReading = 5_000;

export async function startEmulatorProcess(
  options: Omit<ChildOptions, "script"> & {
    readonly program: string;
    /** Called with each entry of the journal that is followed, in their order, about once a second. */
    readonly onEntry?: (entry: JournalEntry) => void;
  },
): Promise<EmulatorProcess> {
  const child = startChild({
    ...options,
    script: options.program,
    args: ["emulator", "--json", "--port", "0", "--control-port", "0", ...(options.args ?? [])],
  });
  const [line] = (await once(createInterface({ input: child.process.stdout! }), "line")) as [string];
  const { url, controlUrl, token } = JSON.parse(line) as Readonly<Record<string, string>> & {
    readonly url: string;
    readonly token: string;
  };
  const entries = new Map<Followed, JournalEntry[]>(followed.map((type) => [type, []]));
  let lastSeq = 0;

  async function call(method: string, address: string, body?: unknown): Promise<unknown> {
    const response = await fetch(address, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`${method} ${new URL(address).pathname} answered ${response.status}: ${text}`);
  }
  const control = (method: string, path: string, body?: unknown): Promise<unknown> =>
    call(method, `${controlUrl}/_control${path}`, body);

  async function follow(): Promise<void> {
    for (;;) {
      const query = `type=${followed.join(",")}&after=${lastSeq}&limit=${perReading}`;
      const page = (await control("GET", `/journal?${query}`)) as {
        readonly entries: readonly JournalEntry[];
        readonly next?: number;
        readonly forgotten?: number;
      };
      if (page.forgotten !== undefined) throw new Error(`the journal forgot ${page.forgotten} entries`);
      for (const entry of page.entries) {
        entries.get(entry.type as Followed)?.push(entry);
        options.onEntry?.(entry);
      }
      lastSeq = page.entries.at(-1)?.seq ?? lastSeq;
      if (page.next === undefined) return;
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
    url,
    token,
    async seed(records) {
      for (let from = 0; from < records.length; from += perSeeding) {
        await control("POST", "/dlq", { records: records.slice(from, from + perSeeding) });
      }
    },
    state: async () => (await control("GET", "/state")) as Awaited<ReturnType<EmulatorProcess["state"]>>,
    adjust: async (settings) => void (await control("PATCH", "/settings", settings)),
    advance: async (ms) => void (await control("POST", "/clock", { advanceMs: ms })),
    control,
    async journal(type) {
      await read();
      return [...(entries.get(type) ?? [])] as EntryOf<typeof type>[];
    },
    async list() {
      const found = new Map<string, string>();
      let cursor = "";
      do {
        const page = (await call("GET", `${url}/v2/dlq?count=100&cursor=${encodeURIComponent(cursor)}`)) as {
          readonly messages: readonly { readonly dlqId: string; readonly body: string }[];
          readonly cursor?: string;
        };
        for (const { dlqId, body } of page.messages) found.set(dlqId, body);
        cursor = page.cursor ?? "";
      } while (cursor !== "");
      return found;
    },
    async close() {
      ended.abort();
      await child.kill();
    },
  };
}
