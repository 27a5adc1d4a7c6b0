import { createEmulatorClient, publish, type SentMessage } from "./emulator-client.ts";
import { judgeRun } from "./judge-deliveries.ts";
import { drainName } from "./drains-document.ts";
import { planMessages, queue, toGroupEndpoints, urlGroup, type PlannedMessage } from "./plan-messages.ts";
import type { StoryRun } from "./run-story.ts";
import { createDeadline, isInTime, waitUntil } from "./waits.ts";

export type ReceiverOutageResult = Awaited<ReturnType<typeof playReceiverOutage>>;

const pollMs = 100;
/** The journal is long, and searching it is the emulator's work. */
const journalPollMs = 300;
const progressEveryMs = 2_000;
/**
 * A queue keeps its turn over all retries, so its messages die as slowly as they take turns. While the
 * receiver is down the daemon republishes what died, and an attempt may wait seconds for its place among
 * those.
 */
const queueParallelism = 500;

/** Two minutes, and 20 ms for each message: many times what a quiet machine needs. */
export function toDeadlineMs(messages: number): number {
  return 120_000 + 20 * messages;
}

/**
 * The receiver is down, first a closed port, then 503; messages die and land in the DLQ. It recovers, the
 * daemon drains. Every step waits for an event, never for a time.
 */
export async function playReceiverOutage(
  run: StoryRun,
  { messages, runId }: { readonly messages: number; readonly runId: string },
) {
  const { stack, say } = run;
  const { receiver, daemon } = stack;
  using deadline = createDeadline(toDeadlineMs(messages), run.signal);
  const { signal } = deadline;
  const api = createEmulatorClient(stack.emulator, signal);
  const polling = { everyMs: pollMs, signal };
  await waitUntil(async () => ((await daemon.isReady()) ? true : null), polling);
  say("the daemon is ready");

  const endpoints = toGroupEndpoints(receiver);
  await api.service("POST", `/v2/topics/${urlGroup}/endpoints`, { endpoints });
  await api.service("POST", "/v2/queues", { queueName: queue, parallelism: queueParallelism });
  const plans = planMessages(messages, runId, receiver);
  const half = Math.ceil(plans.length / 2);
  let lastSeq = 0;

  say(`the receiver is down: nothing listens on ${receiver.flakyUrl}`);
  const first = await publishUntilDead(plans.slice(0, half));
  await receiver.open();
  say("the receiver is up, and answers 503");
  const second = await publishUntilDead(plans.slice(half));
  receiver.recover("flaky");
  say("the receiver has recovered");

  const sent = [...first, ...second];
  const settled = await isInTime(untilSettled, deadline);
  // Also what was not settled before the deadline is judged.
  return { sent, verdict: await judgeRun(run, sent), settled, passes: daemon.passes };

  async function publishUntilDead(wave: readonly PlannedMessage[]): Promise<readonly SentMessage[]> {
    const publishedNow = await publish(api, wave);
    say(`${wave.length} messages are published`);
    await untilDead(publishedNow);
    say(`all of them have failed for good: ${(await api.state()).dlqSize} dead letters in the DLQ`);
    return publishedNow;
  }

  /** The daemon may have republished some by then, and those may have died again: only first deaths count. */
  async function untilDead(wave: readonly SentMessage[]): Promise<void> {
    const alive = new Set(wave.map(({ failingMessageId }) => failingMessageId));
    await waitUntil(
      async () => {
        const entries = await api.journal(["dead-lettered"], lastSeq);
        lastSeq = entries.at(-1)?.seq ?? lastSeq;
        for (const { messageId } of entries) alive.delete(messageId);
        return alive.size === 0 ? true : null;
      },
      { everyMs: journalPollMs, signal },
    );
  }

  /** Until everything is delivered, nothing is on its way, and a whole pass has found nothing more to do. */
  async function untilSettled(): Promise<void> {
    const deliveries = plans.reduce((total, plan) => total + plan.deliveries.length, 0);
    const heldBack = plans.filter(({ fate }) => fate !== "redriven").length;
    let saidAt = Date.now();
    await waitUntil(async () => {
      const { pending, dlqSize } = await api.state();
      const delivered = receiver.witness.deliveries.size;
      if (Date.now() - saidAt >= progressEveryMs) {
        saidAt = Date.now();
        say(`${delivered} of ${deliveries} delivered, ${dlqSize} dead letters`);
      }
      return delivered >= deliveries && pending === 0 && dlqSize <= heldBack ? true : null;
    }, polling);
    let lastEndedAt = Date.now() / 1_000;
    let completed = 0;
    say(`${deliveries} of ${deliveries} delivered, ${heldBack} dead letters are left; one more pass`);
    await waitUntil(async () => {
      const metrics = await daemon.metrics();
      const endedAt = metrics.sum("redriver_pass_last_success_timestamp_seconds", { drain: drainName }) ?? 0;
      if (endedAt > lastEndedAt) completed += 1;
      lastEndedAt = Math.max(endedAt, lastEndedAt);
      // The first of them may have begun before the queue was empty.
      if (completed < 2) return null;
      const isExact = metrics.sum("redriver_records_exact", { drain: drainName }) === 1;
      const isSettled =
        metrics.sum("redriver_pending_deletes") === 0 &&
        metrics.sum("redriver_records", { state: "in_doubt" }) === 0;
      return isExact && isSettled && (await api.state()).pending === 0 ? true : null;
    }, polling);
  }
}
