import type { EntryOf, HappeningType } from "../emulator/index.ts";
import type { PlannedMessage } from "./plan-messages.ts";

/** A message and the id under which the service fails to deliver it. */
export interface PublishedMessage {
  readonly plan: PlannedMessage;
  readonly failingMessageId: string;
}

export interface EmulatorState {
  /** Messages and callbacks that have not ended. */
  readonly pending: number;
  readonly dlqSize: number;
}

/** The publisher's view of the service, and what its control API tells. Every call rejects with an Error that names it. */
export interface MessageApi {
  createUrlGroup(name: string, endpoints: readonly { name: string; url: string }[]): Promise<void>;
  createQueue(queueName: string, parallelism: number): Promise<void>;
  /** In batches of 100. */
  publish(plans: readonly PlannedMessage[]): Promise<readonly PublishedMessage[]>;
  listDlq(): Promise<readonly { readonly messageId: string }[]>;
  state(): Promise<EmulatorState>;
  /** Message ids that became dead letters since the last call. */
  newlyDead(): Promise<readonly string[]>;
  /** Entries of the emulator's journal with `seq` above `after`, of these types, oldest first. */
  journal<Type extends HappeningType>(
    types: readonly Type[],
    after: number,
  ): Promise<readonly EntryOf<Type>[]>;
}

const perBatch = 100;

type Answer =
  | { readonly messageId: string }
  | readonly { readonly messageId: string; readonly url: string }[];

export function createMessageApi(
  { url, controlUrl, token }: { readonly url: string; readonly controlUrl: string; readonly token: string },
  signal: AbortSignal,
): MessageApi {
  let lastSeq = 0;

  async function call(method: string, address: string, body?: unknown): Promise<unknown> {
    const response = await fetch(address, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`${method} ${new URL(address).pathname} answered ${response.status}: ${text}`);
  }

  async function publishBatch(plans: readonly PlannedMessage[]): Promise<readonly PublishedMessage[]> {
    const items = plans.map(({ item }) => item);
    const answers = (await call("POST", `${url}/v2/batch`, items)) as readonly Answer[];
    return plans.map((plan, position) => {
      const answer = answers[position];
      const own = Array.isArray(answer) ? answer.find((one) => one.url === plan.failingUrl) : answer;
      const failingMessageId = (own as { readonly messageId?: string } | undefined)?.messageId;
      if (failingMessageId === undefined)
        throw new Error(`POST /v2/batch answered no messageId for ${plan.id}`);
      return { plan, failingMessageId };
    });
  }

  async function journal<Type extends HappeningType>(
    types: readonly Type[],
    after: number,
  ): Promise<readonly EntryOf<Type>[]> {
    const query = `type=${types.join(",")}&after=${after}&limit=100000`;
    const answer = await call("GET", `${controlUrl}/_control/journal?${query}`);
    return (answer as { readonly entries: readonly EntryOf<Type>[] }).entries;
  }

  return {
    createUrlGroup: async (name, endpoints) =>
      void (await call("POST", `${url}/v2/topics/${name}/endpoints`, { endpoints })),
    createQueue: async (queueName, parallelism) =>
      void (await call("POST", `${url}/v2/queues`, { queueName, parallelism })),
    async publish(plans) {
      const published: PublishedMessage[] = [];
      for (let from = 0; from < plans.length; from += perBatch) {
        published.push(...(await publishBatch(plans.slice(from, from + perBatch))));
      }
      return published;
    },
    async listDlq() {
      const records: { readonly messageId: string }[] = [];
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`;
        const page = (await call("GET", `${url}/v2/dlq${query}`)) as {
          readonly messages: readonly { readonly messageId: string }[];
          readonly cursor?: string;
        };
        records.push(...page.messages.map(({ messageId }) => ({ messageId })));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return records;
    },
    state: async () => (await call("GET", `${controlUrl}/_control/state`)) as EmulatorState,
    async newlyDead() {
      const entries = await journal(["dead-lettered"], lastSeq);
      lastSeq = entries.at(-1)?.seq ?? lastSeq;
      return entries.map(({ messageId }) => messageId);
    },
    journal,
  };
}
