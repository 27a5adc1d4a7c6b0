import type { EmulatorClient } from "./emulator-client.ts";
import type { PlannedMessage } from "./plan-messages.ts";

/** A message and the id under which the service fails to deliver it. */
export interface SentMessage {
  readonly plan: PlannedMessage;
  readonly failingMessageId: string;
}

const perBatch = 100;

type Answer =
  | { readonly messageId: string; readonly url?: string }
  | readonly { readonly messageId: string; readonly url: string }[];

/** Publishes in batches of 100. */
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
