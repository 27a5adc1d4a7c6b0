import { randomBytes } from "node:crypto";
import { retryScale, toDrainsDocument } from "./plan-messages.ts";
import { playReceiverOutage, toDeadlineMs } from "./receiver-outage-story.ts";
import { runStory, type StoryOptions } from "./run-story.ts";
import { toSummary, toSummaryText } from "./summary.ts";

const maxMessages = 200_000;

/**
 * The main job on an embedded stack, with nothing faked: see receiver-outage-story.ts. Exit codes as in
 * run-story.ts, and 2 for a wrong number of messages.
 */
export async function runDemo(options: StoryOptions): Promise<number> {
  const { messages, io } = options;
  if (!Number.isInteger(messages) || messages < 1 || messages > maxMessages) {
    io.err(`redriver: --messages: expected a whole number from 1 to ${maxMessages}\n`);
    return 2;
  }
  const frame = {
    ...options,
    stage: { retryScale, drains: toDrainsDocument() },
    deadlineMs: toDeadlineMs(messages),
    lateText: "not all messages had failed for good",
  };
  return runStory(frame, async (run) => {
    const result = await playReceiverOutage(run, { messages, runId: randomBytes(4).toString("hex") });
    const summary = toSummary(result, await run.stack.daemon.metrics(), run.figures());
    return { settled: result.settled, summary, text: toSummaryText(summary) };
  });
}
