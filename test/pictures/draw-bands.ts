import type { Recording } from "../../dev/demo/outage/recording-file.ts";
import { axisY, lane, left, letterPx, number, receiver, right, round, text, type Scale } from "./layout.ts";

/** The lane's states; the names of narrow ones stand below. */
export function drawLane({ moves, seconds }: Recording, x: Scale): string[] {
  const bands = [{ atS: 0, to: "canary" }, ...moves]
    .map((move, index, all) => ({
      state: move.to,
      fromS: move.atS,
      toS: all[index + 1]?.atS ?? seconds.length,
    }))
    // A lane moves to a step of another size without another state.
    .reduce<{ state: string; fromS: number; toS: number }[]>((merged, band) => {
      const last = merged.at(-1);
      if (last?.state !== band.state) return [...merged, band];
      return [...merged.slice(0, -1), { ...last, toS: band.toS }];
    }, []);
  let narrow = 0;
  return [
    text(left - 8, (lane.top + lane.bottom) / 2 + 4, "its lane", "small end"),
    ...bands.flatMap(({ state, fromS, toS }) => {
      const middle = (x(fromS) + x(toS)) / 2;
      const band = `<rect class="band ${state}" x="${x(fromS)}" y="${lane.top}" width="${round(x(toS) - x(fromS))}" height="${lane.bottom - lane.top}"/>`;
      if (state.length * letterPx + 6 <= x(toS) - x(fromS)) {
        return [band, text(middle, (lane.top + lane.bottom) / 2 + 4, state, "name middle")];
      }
      const nameY = lane.names[narrow++ % lane.names.length]!;
      return [
        band,
        `<line class="axis" x1="${round(middle)}" y1="${lane.bottom}" x2="${round(middle)}" y2="${nameY - 9}"/>`,
        text(middle, nameY, state, "small middle"),
      ];
    }),
  ];
}

export function drawReceiver({ backAtS, seconds }: Recording, x: Scale): string[] {
  const top = receiver.top;
  const tall = receiver.bottom - receiver.top;
  const backX = x(backAtS);
  const endX = x(seconds.length);
  return [
    text(left - 8, top + tall / 2 + 4, "the receiver", "small end"),
    `<rect class="band halted" x="${left}" y="${top}" width="${round(backX - left)}" height="${tall}"/>`,
    text((left + backX) / 2, top + tall / 2 + 4, "down: answers 503", "name middle"),
    `<rect class="band open" x="${backX}" y="${top}" width="${round(endX - backX)}" height="${tall}"/>`,
    text((backX + endX) / 2, top + tall / 2 + 4, "up: answers 200", "name middle"),
  ];
}

const axisEveryS = 10;

/** Seconds of the run, and minutes outside. */
export function drawAxis({ seconds, timeScale }: Recording, x: Scale): string[] {
  const marks = Array.from(
    { length: Math.floor(seconds.length / axisEveryS) + 1 },
    (_, index) => index * axisEveryS,
  );
  return [
    `<line class="axis" x1="${left}" y1="${axisY}" x2="${right}" y2="${axisY}"/>`,
    ...marks.flatMap((s) => [
      `<line class="axis" x1="${x(s)}" y1="${axisY}" x2="${x(s)}" y2="${axisY + 5}"/>`,
      text(x(s), axisY + 18, `${s} s`, "small middle"),
      text(x(s), axisY + 33, `${number((s * timeScale) / 60)} min`, "small muted middle"),
    ]),
    text(left - 24, axisY + 18, "of this run", "small end"),
    text(left - 24, axisY + 33, `at 1:${timeScale}`, "small muted end"),
  ];
}
