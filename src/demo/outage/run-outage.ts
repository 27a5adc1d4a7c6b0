import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { runStory, type StoryOptions } from "../run-story.ts";
import { deadlineMs, playHostOutage } from "./host-outage-story.ts";
import { toRecording, toRecordingText } from "./recording.ts";
import { toStage } from "./stage.ts";
import { toOutageSummary, toOutageText } from "./summary.ts";

/** `messages`: to the host that is down; a fifth more goes to the other one. */
export interface OutageOptions extends StoryOptions {
  /** Probes that come back before the receiver has recovered. */
  readonly probes: number;
  /** False: the same outage for a drain without lanes, which is judged alike. */
  readonly hasLane: boolean;
  /** Where the recording goes; null for nowhere. */
  readonly recordFile: string | null;
}

const bounds = { messages: [20, 5_000], probes: [1, 6] } as const;

/**
 * One outage of one of two hosts: see host-outage-story.ts. Exit codes as in run-story.ts, where the lane has
 * to keep what it promises too, and 2 for numbers out of bounds.
 */
export async function runOutage(options: OutageOptions): Promise<number> {
  const { messages, probes, recordFile, io } = options;
  for (const [flag, value] of Object.entries({ messages, probes })) {
    const [min, max] = bounds[flag as keyof typeof bounds];
    if (Number.isInteger(value) && value >= min && value <= max) continue;
    io.err(`redriver: --${flag}: expected a whole number from ${min} to ${max} with --outage\n`);
    return 2;
  }
  const frame = { ...options, stage: toStage(options), deadlineMs, lateText: "the outage had no end" };
  return runStory(frame, async (run) => {
    const result = await playHostOutage(run, { messages, probes, runId: randomBytes(4).toString("hex") });
    const summary = toOutageSummary(result, run.figures());
    if (recordFile !== null) await writeFile(recordFile, toRecordingText(toRecording(result)));
    return { settled: result.settled, summary, text: toOutageText(summary) };
  });
}
