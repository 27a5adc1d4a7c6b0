import type { RunFigures } from "../run-story.ts";
import { toReport, toSeconds } from "../summary.ts";
import type { HostOutageResult } from "./host-outage-story.ts";
import { toGaps } from "./judge-outage.ts";
import { timeScale } from "./stage.ts";

export type OutageSummary = ReturnType<typeof toOutageSummary>;

/** Times are those of the run, ms. By the emulator's journal and the receiver, not by the daemon. */
export function toOutageSummary(result: HostOutageResult, run: RunFigures) {
  const { down, downAt, backAt, verdict } = result;
  const early = down.tries.filter(({ at }) => at < backAt);
  const took = down.tries.find(({ outcome }) => outcome === "delivered")?.endedAt;
  const last = down.depths.at(-1);
  return {
    published: result.sent.length,
    downForMs: backAt - downAt,
    /** Messages that redriver sent to the host while it was down, and the times between one and the next. */
    sentWhileDown: early.length,
    gapsMs: toGaps(early),
    /** From its return to the first message that it took; null if it took none. */
    noticedAfterMs: took === undefined || took === null ? null : took - backAt,
    /** From its return to an empty DLQ; null if something is left. */
    drainedAfterMs: last?.deadLetters === 0 ? last.at - backAt : null,
    ...verdict,
    ...run,
  };
}

const shownGaps = 12;

/** As a person reads it. Ends with a newline. */
export function toOutageText(summary: OutageSummary): string {
  const gaps = summary.gapsMs.slice(0, shownGaps).map((ms) => (ms / 1_000).toFixed(1));
  const more = summary.gapsMs.length > shownGaps ? ", …" : "";
  return toReport(
    [
      ["published", summary.published],
      ["down for", toSeconds(summary.downForMs), `${toOutside(summary.downForMs)} outside`],
      ["sent while down", summary.sentWhileDown, `apart by ${gaps.join(", ")}${more} s`],
      ["noticed after", toTime(summary.noticedAfterMs)],
      ["drained after", toTime(summary.drainedAfterMs), "both since it has recovered"],
      ["delivered exactly once", summary.deliveredOnce],
      ["lost", summary.lost],
      ["doubled", summary.doubled],
    ],
    "Every message was delivered exactly once and the DLQ is empty; while it was down the host was sent a few, then probes apart; the other host was drained meanwhile.",
    summary,
  );
}

const toTime = (ms: number | null): string => (ms === null ? "never" : toSeconds(ms));
const toOutside = (ms: number): string => `${((ms * timeScale) / 60_000).toFixed(0)} min`;
