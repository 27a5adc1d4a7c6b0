import { readFileSync, writeFileSync } from "node:fs";
import { toPlanAndApplySvg } from "./terminal/plan-and-apply.ts";
import type { TerminalRecording } from "./terminal/recording.ts";

/** From the root of the repository: each recording in docs as a picture beside it. */
draw("docs/plan-and-apply", (recording) => toPlanAndApplySvg(recording as TerminalRecording));

function draw(name: string, toSvg: (recording: unknown) => string): void {
  writeFileSync(`${name}.svg`, toSvg(JSON.parse(readFileSync(`${name}.json`, "utf8"))));
}
