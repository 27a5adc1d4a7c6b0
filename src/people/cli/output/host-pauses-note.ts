import { toSpelledOut } from "../../../job/message/show-masked-values.ts";
import type { HostPause } from "../../../job/contracts/pauses.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toTime } from "../../operations/phrases.ts";

/** For a command that would publish: what it leaves alone. A line for each paused destination. */
export function toHostPausesNote(drain: string, pauses: readonly HostPause[]): string {
  return pauses
    .map(({ host, by, reason, until }) => {
      const end = until === undefined ? "" : ` until ${toTime(until)}`;
      const paused = `${drain}: ${toDestinationText(host)} is paused by ${by}${end}: ${reason}`;
      return `${toSpelledOut(paused)}; nothing new is published there\n`;
    })
    .join("");
}
