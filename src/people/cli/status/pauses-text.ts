/** What a person's pauses are shown as. */
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toAge, toTime } from "../../operations/phrases.ts";
import { wrapText } from "../output/wrap.ts";

/** `until 2026-11-20 10:15:00 UTC (in 12m), by ana 2h ago: why`. */
export function toPausedBy({ by, at, until, reason }: PauseRecord, now: number): string {
  const end =
    until === undefined ? "" : `until ${toTime(until)} (in ${formatDuration(Math.max(0, until - now))}), `;
  return `${end}by ${by} ${toAge(at, now)} ago: ${reason}`;
}

/** A line for each paused destination of a source. */
export function toHostPausesText(columns: number, pauses: readonly PauseRecord[], now: number): string {
  return pauses
    .map((pause) => {
      const drains = pause.drain === "*" ? "all drains" : pause.drain;
      return wrapText(
        columns,
        2,
        "hosts     ",
        `${toDestinationText(pause.host ?? "")} of ${drains} paused ${toPausedBy(pause, now)}`,
      );
    })
    .join("");
}
