import { createEmulatorClient, type SentMessage } from "./emulator-client.ts";
import { toKey, type WitnessReport } from "./receiver.ts";
import type { StoryRun } from "./run-story.ts";

interface DeliveryVerdict {
  /** Deliveries that had to happen, and how often they did. */
  readonly deliveredOnce: number;
  readonly lost: number;
  readonly doubled: number;
  /** Empty when everything is as the publisher expected; one sentence each otherwise. */
  readonly differences: readonly string[];
}

/** Asks the receiver and the service, also after the deadline of a story. */
export async function judgeRun(
  { stack, signal }: StoryRun,
  sent: readonly SentMessage[],
): Promise<DeliveryVerdict> {
  const { listDlq } = createEmulatorClient(stack.emulator, signal);
  return judgeDeliveries(sent, stack.receiver.witness, await listDlq());
}

/**
 * Compares what the publisher expected with what the receiver saw and with what is left in the DLQ.
 * redriver's own word counts for nothing here.
 */
export function judgeDeliveries(
  sent: readonly SentMessage[],
  witness: WitnessReport,
  dlq: readonly { readonly messageId: string }[],
): DeliveryVerdict {
  const { deliveries: seen, successCallbacks, failureCallbacks } = witness;
  const wanted = new Set(sent.flatMap(({ plan }) => plan.deliveries));
  const lost = [...wanted].filter((key) => !seen.has(key));
  const doubled = [...wanted].filter((key) => (seen.get(key) ?? 0) > 1);
  const unwanted = [...seen.keys()].filter((key) => !wanted.has(key));

  const heldBack = sent.filter(({ plan }) => plan.fate !== "redriven");
  const left = new Set(dlq.map(({ messageId }) => messageId));
  const staying = new Set(heldBack.map(({ failingMessageId }) => failingMessageId));
  const gone = heldBack.filter(({ failingMessageId }) => !left.has(failingMessageId));
  const extra = [...left].filter((messageId) => !staying.has(messageId));

  const withCallbacks = sent.filter(({ plan }) => plan.hasCallbacks).map(({ plan }) => plan.id);

  return {
    deliveredOnce: [...wanted].filter((key) => seen.get(key) === 1).length,
    lost: lost.length,
    doubled: doubled.length,
    differences: [
      ...differ("had to be delivered and were not", lost),
      ...differ("were delivered more than once", doubled),
      ...differ("were delivered and should not have been", unwanted),
      ...differ(
        "reached the receiver with another method, body or header than was published",
        witness.altered,
      ),
      ...differ(
        "reached the flaky receiver without the mark of the rules, so not through redriver",
        witness.unmarked,
      ),
      ...differ(
        "had to stay in the DLQ and are not there",
        gone.map(({ plan }) => toKey(new URL(plan.failingUrl).pathname, plan.id)),
      ),
      ...differ("are in the DLQ and should not be", extra),
      ...differ(
        "were delivered, but their callback was not called exactly once",
        withCallbacks.filter((id) => successCallbacks.get(id) !== 1),
      ),
      ...differ(
        "failed at first, but their failure callback was not called",
        withCallbacks.filter((id) => !failureCallbacks.has(id)),
      ),
    ],
  };
}

const shown = 3;

function differ(what: string, keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  const examples = keys.slice(0, shown).join(", ");
  return [`${keys.length} ${what}: ${examples}${keys.length > shown ? ", …" : ""}`];
}
