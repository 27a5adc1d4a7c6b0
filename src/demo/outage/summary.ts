import { toReport, toRunRows, type RunFigures } from "../summary.ts";
import { toGaps } from "./judge-outage.ts";
import { timeScale } from "./stage.ts";
import type { Ending } from "./story.ts";

/** Of one outage; times are those of the run, ms. By the emulator's journal and the receiver, not by the daemon. */
export interface OutageSummary extends RunFigures {
  readonly published: number;
  readonly downForMs: number;
  /** Messages that redriver sent to the host while it was down. */
  readonly sentWhileDown: number;
  /** Between one of them and the next. */
  readonly gapsMs: readonly number[];
  /** From its return to the first message that it took; null where it took none. */
  readonly noticedAfterMs: number | null;
  /** From its return to an empty DLQ; null where something is left. */
  readonly drainedAfterMs: number | null;
  readonly deliveredOnce: number;
  readonly lost: number;
  readonly doubled: number;
  readonly differences: readonly string[];
}

export function toOutageSummary(ending: Ending, run: RunFigures): OutageSummary {
  const { down, downAt, backAt, verdict } = ending;
  const early = down.tries.filter(({ at }) => at < backAt);
  const took = down.tries.find(({ outcome }) => outcome === "delivered")?.endedAt;
  const last = down.depths.at(-1);
  return {
    published: ending.published.length,
    downForMs: backAt - downAt,
    sentWhileDown: early.length,
    gapsMs: toGaps(early),
    noticedAfterMs: took === undefined || took === null ? null : took - backAt,
    drainedAfterMs: last?.deadLetters === 0 ? last.at - backAt : null,
    deliveredOnce: verdict.deliveredOnce,
    lost: verdict.lost,
    doubled: verdict.doubled,
    differences: verdict.differences,
    ...run,
  };
}

const shownGaps = 12;

/** As a person reads it. Ends with a newline. */
export function toOutageText(summary: OutageSummary): string {
  const gaps = summary.gapsMs.slice(0, shownGaps).map((ms) => (ms / 1_000).toFixed(1));
  return toReport(
    [
      ["published", summary.published],
      ["down for", seconds(summary.downForMs), `${toOutside(summary.downForMs)} outside`],
      [
        "sent while down",
        summary.sentWhileDown,
        `apart by ${gaps.join(", ")}${summary.gapsMs.length > shownGaps ? ", …" : ""} s`,
      ],
      ["noticed after", toTime(summary.noticedAfterMs)],
      ["drained after", toTime(summary.drainedAfterMs), "both since it has recovered"],
      ["delivered exactly once", summary.deliveredOnce],
      ["lost", summary.lost],
      ["doubled", summary.doubled],
      ...toRunRows(summary),
    ],
    {
      promise:
        "Every message was delivered exactly once and the DLQ is empty; while it was down the host was sent a few, then probes apart; the other host was drained meanwhile.",
      differences: summary.differences,
    },
  );
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const toTime = (ms: number | null): string => (ms === null ? "never" : seconds(ms));
const toOutside = (ms: number): string => `${((ms * timeScale) / 60_000).toFixed(0)} min`;
