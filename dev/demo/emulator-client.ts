import type { EntryOf, HappeningType } from "../emulator/index.ts";
import type { PlannedMessage } from "./plan-messages.ts";

export interface EmulatorAddresses {
  readonly url: string;
  readonly controlUrl: string;
  readonly token: string;
}

interface EmulatorState {
  /** Unix ms of its clock. */
  readonly now: number;
  /** Messages and callbacks that have not ended. */
  readonly pending: number;
  readonly dlqSize: number;
}

interface ListedRecord {
  readonly dlqId: string;
  readonly messageId: string;
  readonly body: string;
}

export type EmulatorClient = ReturnType<typeof createEmulatorClient>;

const entriesPerCall = 5_000;

/** An emulator's message API and control API. Every call rejects with an Error that names it. */
export function createEmulatorClient(addresses: EmulatorAddresses, signal?: AbortSignal) {
  const { url, controlUrl, token } = addresses;

  async function call(method: string, address: string, body?: unknown): Promise<unknown> {
    const response = await fetch(address, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`${method} ${new URL(address).pathname} answered ${response.status}: ${text}`);
  }
  /** `path` with its version, such as `/v2/batch`. */
  const service = (method: string, path: string, body?: unknown): Promise<unknown> =>
    call(method, `${url}${path}`, body);
  /** `path` below `/_control`. */
  const control = (method: string, path: string, body?: unknown): Promise<unknown> =>
    call(method, `${controlUrl}/_control${path}`, body);

  return {
    service,
    control,
    state: async () => (await control("GET", "/state")) as EmulatorState,
    async listDlq(): Promise<readonly ListedRecord[]> {
      const records: ListedRecord[] = [];
      let cursor = "";
      do {
        const page = (await service("GET", `/v2/dlq?count=100&cursor=${encodeURIComponent(cursor)}`)) as {
          readonly messages: readonly ListedRecord[];
          readonly cursor?: string;
        };
        records.push(...page.messages);
        cursor = page.cursor ?? "";
      } while (cursor !== "");
      return records;
    },
    /** Entries of the journal with `seq` above `after`, of these types, oldest first. */
    async journal<Type extends HappeningType>(
      types: readonly Type[],
      after: number,
    ): Promise<readonly EntryOf<Type>[]> {
      const entries: EntryOf<Type>[] = [];
      for (let last = after; ;) {
        const query = `type=${types.join(",")}&after=${last}&limit=${entriesPerCall}`;
        const page = (await control("GET", `/journal?${query}`)) as {
          readonly entries: readonly EntryOf<Type>[];
          readonly next?: number;
          readonly forgotten?: number;
        };
        if (page.forgotten !== undefined) throw new Error(`the journal forgot ${page.forgotten} entries`);
        entries.push(...page.entries);
        if (page.next === undefined) return entries;
        last = page.entries.at(-1)?.seq ?? last;
      }
    },
  };
}

/** A message and the id under which the service fails to deliver it. */
export interface SentMessage {
  readonly plan: PlannedMessage;
  readonly failingMessageId: string;
}

const perBatch = 100;

type Answer =
  | { readonly messageId: string; readonly url?: string }
  | readonly { readonly messageId: string; readonly url: string }[];

export async function publish(
  { service }: Pick<EmulatorClient, "service">,
  plans: readonly PlannedMessage[],
): Promise<readonly SentMessage[]> {
  const sent: SentMessage[] = [];
  for (let from = 0; from < plans.length; from += perBatch) {
    const batch = plans.slice(from, from + perBatch);
    const items = batch.map(({ item }) => item);
    const answers = (await service("POST", "/v2/batch", items)) as readonly Answer[];
    sent.push(...batch.map((plan, position) => toSent(plan, answers[position])));
  }
  return sent;
}

/** A URL Group answers for each of its endpoints. */
function toSent(plan: PlannedMessage, answer: Answer | undefined): SentMessage {
  const answers = answer === undefined ? [] : [answer].flat();
  const own = Array.isArray(answer) ? answers.find(({ url }) => url === plan.failingUrl) : answers[0];
  if (own === undefined) throw new Error(`POST /v2/batch answered no messageId for ${plan.id}`);
  return { plan, failingMessageId: own.messageId };
}
