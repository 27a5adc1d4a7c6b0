import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { runStory, toSeconds, type StoryEnd, type StoryOptions } from "../run-story.ts";
import { deadlineMs, playHostOutage, type HostOutageResult } from "./host-outage-story.ts";
import { toGaps } from "./judge-outage.ts";
import { toRecording, toRecordingText } from "./recording-file.ts";
import { timeScale, toStage } from "./outage-scenario.ts";

/** `messages`: to the host that is down; a fifth more goes to the other one. */
interface OutageOptions extends StoryOptions {
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
    if (recordFile !== null) await writeFile(recordFile, toRecordingText(toRecording(result)));
    return toEnd(result);
  });
}

const shownGaps = 12;

/** Times are those of the run, ms. By the emulator's journal and the receiver, not by the daemon. */
function toEnd({ down, downAt, backAt, verdict, sent, settled }: HostOutageResult): StoryEnd {
  const early = down.tries.filter(({ at }) => at < backAt);
  const took = down.tries.find(({ outcome }) => outcome === "delivered")?.endedAt ?? null;
  const last = down.depths.at(-1);
  const summary = {
    published: sent.length,
    downForMs: backAt - downAt,
    /** Messages that redriver sent to the host while it was down, and the times between one and the next. */
    sentWhileDown: early.length,
    gapsMs: toGaps(early),
    /** From its return to the first message that it took; null if it took none. */
    noticedAfterMs: took === null ? null : took - backAt,
    /** From its return to an empty DLQ; null if something is left. */
    drainedAfterMs: last?.deadLetters === 0 ? last.at - backAt : null,
    ...verdict,
  };
  const gaps = summary.gapsMs.slice(0, shownGaps).map((ms) => (ms / 1_000).toFixed(1));
  const more = summary.gapsMs.length > shownGaps ? ", …" : "";
  const outside = `${((summary.downForMs * timeScale) / 60_000).toFixed(0)} min outside`;
  return {
    settled,
    summary,
    rows: [
      ["published", summary.published],
      ["down for", toSeconds(summary.downForMs), outside],
      ["sent while down", summary.sentWhileDown, `apart by ${gaps.join(", ")}${more} s`],
      ["noticed after", toTime(summary.noticedAfterMs)],
      ["drained after", toTime(summary.drainedAfterMs), "both since it has recovered"],
      ["delivered exactly once", summary.deliveredOnce],
      ["lost", summary.lost],
      ["doubled", summary.doubled],
    ],
    promise:
      "Every message was delivered exactly once and the DLQ is empty; while it was down the host was sent a few, then probes apart; the other host was drained meanwhile.",
  };
}

const toTime = (ms: number | null): string => (ms === null ? "never" : toSeconds(ms));
