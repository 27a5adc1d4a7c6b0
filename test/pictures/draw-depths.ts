import type { Recording } from "../../dev/demo/outage/recording-file.ts";
import { depth, left, number, right, round, text, type Scale } from "./layout.ts";

/** Dead letters over time, a line for each host. */
export function drawDepths({ seconds, down, other, backAtS }: Recording, x: Scale): string[] {
  const most = Math.max(...seconds.map(({ deadLetters }) => deadLetters));
  const step = toStep(most);
  // A come-back and its parent are there together for a moment: a few more than a round number need no line
  // above them.
  const top = Math.ceil((most * 0.98) / step) * step;
  const y = (count: number): number => round(depth.bottom - ((depth.bottom - depth.top) * count) / top);
  const points = (of: (second: (typeof seconds)[number]) => number, first: number): string =>
    [`${x(0)},${y(first)}`, ...seconds.map((second, index) => `${x(index + 1)},${y(of(second))}`)].join(" ");
  const downPoints = points(({ deadLetters }) => deadLetters, 0);
  const otherPoints = points(({ atOther }) => atOther, seconds[0]?.atOther ?? 0);
  const grid = Array.from({ length: top / step + 1 }, (_, index) => index * step).flatMap((count) => [
    `<line class="grid" x1="${left}" y1="${y(count)}" x2="${right}" y2="${y(count)}"/>`,
    text(left - 8, y(count) + 4, number(count), "small end"),
  ]);
  const otherEmptyS = seconds.findIndex(({ atOther }) => atOther === 0) + 1;
  const otherMost = Math.max(...seconds.map(({ atOther }) => atOther));
  const plateauS = (seconds.findIndex(({ deadLetters }) => deadLetters > most * 0.98) + 1 + backAtS) / 2;
  return [
    ...grid,
    `<text class="small middle" transform="translate(26 ${(depth.top + depth.bottom) / 2}) rotate(-90)">dead letters</text>`,
    `<polygon class="down area" points="${downPoints} ${x(seconds.length)},${y(0)} ${x(0)},${y(0)}"/>`,
    `<polyline class="down line" points="${downPoints}"/>`,
    `<polyline class="other line" points="${otherPoints}"/>`,
    text(x(plateauS), y(most) + 20, `${down}, which is down`, "down name middle"),
    text(x(otherEmptyS) + 2, y(otherMost) + 4, `${other},`, "other name"),
    text(x(otherEmptyS) + 2, y(otherMost) + 19, "drained meanwhile", "other name"),
  ];
}

/** A round number of which three to six make the axis. */
function toStep(most: number): number {
  const steps = [1, 2, 5].flatMap((digit) => [10, 100, 1_000].map((power) => digit * power));
  return steps.toSorted((a, b) => a - b).find((step) => most / step <= 5) ?? 10_000;
}
