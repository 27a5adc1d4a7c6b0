/**
 * One outage as a picture: dead letters over time, what was sent to the host that was down, its lane and the
 * receiver. All of it follows from the recording, so the same recording makes the same bytes. It has a ground
 * of its own, light or dark as the reader's system is.
 */
import type { Recording } from "../../dev/demo/outage/recording-file.ts";
import { drawAxis, drawLane, drawReceiver } from "./draw-bands.ts";
import { drawDepths } from "./draw-depths.ts";
import { drawSent } from "./draw-sent.ts";
import { height, left, number, right, round, width } from "./layout.ts";
import { styles } from "./styles.ts";

export function toOutageSvg(recording: Recording): string {
  const lastS = recording.seconds.length;
  const x = (s: number): number => round(left + ((right - left) * s) / lastS);
  const parts = [
    ...drawDepths(recording, x),
    ...drawSent(recording, x),
    ...drawLane(recording, x),
    ...drawReceiver(recording, x),
    ...drawAxis(recording, x),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title what">
<title id="title">One outage of ${recording.down}</title>
<desc id="what">${describe(recording)}</desc>
<style>
${styles}</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
<text class="title" x="${left}" y="28">One outage of ${recording.down}: what waits in the DLQ, and what redriver sends</text>
${parts.join("\n")}
</svg>
`;
}

function describe({ bursts, moves, seconds, backAtS }: Recording): string {
  const tried = bursts.filter(({ atS }) => atS < backAtS).reduce((total, burst) => total + burst.sent, 0);
  const most = Math.max(...seconds.map(({ deadLetters }) => deadLetters));
  const states = moves.map(({ to, atS }) => `${to} at ${atS} s`).join(", ");
  return `${number(most)} dead letters; ${tried} messages sent while the receiver was down, for ${backAtS} s. The lane: canary from the start, ${states}.`;
}
