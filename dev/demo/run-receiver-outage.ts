import { randomBytes } from "node:crypto";
import { drainName, toDrainsDocument } from "./drains-document.ts";
import { playReceiverOutage, toDeadlineMs, type ReceiverOutageResult } from "./receiver-outage-story.ts";
import { runStory, type StoryEnd, type StoryOptions } from "./run-story.ts";
import type { ScrapedMetrics } from "./scraped-metrics.ts";

const maxMessages = 200_000;

/**
 * Waits between attempts are 12 s and 2 min 28 s for the service; here 60 ms and 740 ms, so that
 * messages die in seconds.
 */
const retryScale = 0.005;

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
    return toEnd(result, await run.stack.daemon.metrics());
  });
}

/** What the daemon did comes from its metrics and its log, what became of the messages from the receiver. */
function toEnd({ passes, verdict, sent, settled }: ReceiverOutageResult, metrics: ScrapedMetrics): StoryEnd {
  const count = (name: string, labels?: Readonly<Record<string, string>>): number =>
    metrics.sum(name, labels) ?? 0;
  const summary = {
    published: sent.length,
    /** Records on the pages of all passes that acted, each pass counted. */
    listed: passes.reduce((total, { counts }) => total + (counts["listed"] ?? 0), 0),
    passes: passes.length,
    republished: count("redriver_published_total"),
    /** Redriven messages that died again, because the receiver was still down. */
    comeBacks: count("redriver_come_backs_total"),
    held: count("redriver_records", { drain: drainName, state: "held" }),
    parked: count("redriver_records", { drain: drainName, state: "parked" }),
    deleted: count("redriver_settled_total"),
    ...verdict,
  };
  return {
    settled,
    summary,
    rows: [
      ["published", summary.published],
      ["listed", summary.listed, `in ${summary.passes} passes`],
      [
        "republished",
        summary.republished,
        `${summary.comeBacks} of them died again while the receiver was down`,
      ],
      ["deleted", summary.deleted],
      ["held", summary.held],
      ["parked", summary.parked],
      ["delivered exactly once", summary.deliveredOnce, "a message to the URL Group has two deliveries"],
      ["lost", summary.lost],
      ["doubled", summary.doubled],
    ],
    promise:
      "Every message that the rules wanted redriven was delivered exactly once; the DLQ holds what they held back.",
  };
}
