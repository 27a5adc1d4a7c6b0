import type { TerminalRecording } from "./recording.ts";
import { toTerminalSvg } from "./terminal-svg.ts";

/** docs/plan-and-apply.svg of docs/plan-and-apply.json. */
export function toPlanAndApplySvg(recording: TerminalRecording): string {
  return toTerminalSvg(recording, {
    title: "redriver plan, then redriver apply",
    what: "A plan of 60 dead letters shows what would be done, why and what it costs, and freezes it in a file. Apply decides all 60 again, asks, sends five, then the rest, and counts what became of them.",
  });
}
