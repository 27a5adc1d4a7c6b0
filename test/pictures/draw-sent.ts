import type { Recording } from "../../dev/demo/outage/recording-file.ts";
import { depth, lane, left, number, receiver, right, round, sent, text, type Scale } from "./layout.ts";

/** Up what was delivered, down what came back, each message a tick, or many of them a block. */
export function drawSent({ bursts, moves, seconds, backAtS }: Recording, x: Scale): string[] {
  const ticks = bursts.flatMap(({ atS, untilS, state, sent: count, cameBack }) => {
    const delivered = count - cameBack;
    const halves = [
      { count: cameBack, toY: sent.middle + sent.tick, nameY: sent.middle + sent.tick + 13, kind: "bad" },
      { count: delivered, toY: sent.middle - sent.tick, nameY: sent.middle - sent.tick - 5, kind: "good" },
    ];
    return halves
      .filter((half) => half.count > 0)
      .flatMap((half) => {
        const blockPx = half.count > mostTicks ? Math.max(leastBlockPx, x(untilS) - x(atS)) : 0;
        const name = toBurstName(state, half.count, half.kind === "bad");
        return [
          blockPx > 0
            ? toBlock(half.kind, x(atS), blockPx, Math.min(sent.middle, half.toY))
            : `<path class="${half.kind} tick" d="${toTicks(x(atS), half.count, half.toY)}"/>`,
          text(x(atS) + blockPx / 2, half.nameY, name, `small ${half.kind} middle`),
        ];
      });
  });
  const openS = moves.findLast(({ to }) => to === "open")?.atS;
  const inBursts = bursts.reduce((total, burst) => total + burst.sent, 0);
  const rest = seconds.reduce((total, second) => total + second.sent, 0) - inBursts;
  const lastS = seconds.findLastIndex((second) => second.sent > 0) + 1;
  const open =
    openS === undefined || rest === 0
      ? []
      : [
          toBlock("good", x(openS), x(lastS) - x(openS), sent.middle - sent.tick),
          text((x(openS) + x(lastS)) / 2, sent.middle - sent.tick - 5, number(rest), "small good middle"),
        ];
  return [
    text(left - 8, sent.middle - 8, "delivered", "small end"),
    text(left - 8, sent.middle + 16, "came back", "small end"),
    `<line class="axis" x1="${left}" y1="${sent.middle}" x2="${right}" y2="${sent.middle}"/>`,
    ...ticks,
    ...open,
    ...[
      [depth.top, sent.middle],
      [lane.top, receiver.bottom],
    ].map(([y1, y2]) => `<line class="mark" x1="${x(backAtS)}" y1="${y1}" x2="${x(backAtS)}" y2="${y2}"/>`),
    text(x(backAtS) + 6, sent.middle - 8, "the receiver is back", "small"),
  ];
}

/** More of them are a block, as long as it took to send them. */
const mostTicks = 10;
const leastBlockPx = 8;
const tickGapPx = 3;

function toTicks(x: number, count: number, toY: number): string {
  const firstX = x - ((count - 1) * tickGapPx) / 2;
  return Array.from(
    { length: count },
    (_, index) => `M${round(firstX + index * tickGapPx)} ${sent.middle}V${toY}`,
  ).join("");
}

const toBlock = (kind: string, x: number, widthPx: number, y: number): string =>
  `<rect class="${kind} block" x="${round(x)}" y="${y}" width="${round(widthPx)}" height="${sent.tick}"/>`;

/** Where there is room for more than the number: before the return of the receiver tries are far apart. */
function toBurstName(state: string, count: number, hasRoom: boolean): string {
  if (!hasRoom) return number(count);
  const what = state === "halted" ? "probe" : state === "canary" ? "canary" : "message";
  return `${number(count)} ${count === 1 ? what : what === "canary" ? "canaries" : `${what}s`}`;
}
