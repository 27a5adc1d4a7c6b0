import { createEmulatorClient, type EmulatorAddresses, type EmulatorClient } from "./emulator-client.ts";
import type { PlannedMessage } from "./plan-messages.ts";

/** A message and the id under which the service fails to deliver it. */
export interface SentMessage {
  readonly plan: PlannedMessage;
  readonly failingMessageId: string;
}

/** The publisher's view of the service. */
export interface MessageApi extends EmulatorClient {
  createUrlGroup(name: string, endpoints: readonly { name: string; url: string }[]): Promise<void>;
  createQueue(queueName: string, parallelism: number): Promise<void>;
  /** In batches of 100. */
  publish(plans: readonly PlannedMessage[]): Promise<readonly SentMessage[]>;
  /** Message ids that became dead letters since the last call. */
  newlyDead(): Promise<readonly string[]>;
}

const perBatch = 100;

type Answer =
  | { readonly messageId: string }
  | readonly { readonly messageId: string; readonly url: string }[];

export function createMessageApi(addresses: EmulatorAddresses, signal: AbortSignal): MessageApi {
  const client = createEmulatorClient(addresses, signal);
  const { service, journal } = client;
  let lastSeq = 0;

  async function publishBatch(plans: readonly PlannedMessage[]): Promise<readonly SentMessage[]> {
    const items = plans.map(({ item }) => item);
    const answers = (await service("POST", "/v2/batch", items)) as readonly Answer[];
    return plans.map((plan, position) => {
      const answer = answers[position];
      const own = Array.isArray(answer) ? answer.find((one) => one.url === plan.failingUrl) : answer;
      const failingMessageId = (own as { readonly messageId?: string } | undefined)?.messageId;
      if (failingMessageId === undefined)
        throw new Error(`POST /v2/batch answered no messageId for ${plan.id}`);
      return { plan, failingMessageId };
    });
  }

  return {
    ...client,
    createUrlGroup: async (name, endpoints) =>
      void (await service("POST", `/v2/topics/${name}/endpoints`, { endpoints })),
    createQueue: async (queueName, parallelism) =>
      void (await service("POST", "/v2/queues", { queueName, parallelism })),
    async publish(plans) {
      const sent: SentMessage[] = [];
      for (let from = 0; from < plans.length; from += perBatch) {
        sent.push(...(await publishBatch(plans.slice(from, from + perBatch))));
      }
      return sent;
    },
    async newlyDead() {
      const entries = await journal(["dead-lettered"], lastSeq);
      lastSeq = entries.at(-1)?.seq ?? lastSeq;
      return entries.map(({ messageId }) => messageId);
    },
  };
}
