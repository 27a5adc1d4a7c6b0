/**
 * Where everything is, in px:
 *
 *   52 … 236    dead letters
 *   277 … 307   what was sent: up what was delivered, down what came back
 *   342 … 366   the lane's states, names of narrow ones below
 *   400 … 424   the receiver
 *   434         the axis
 */
export const width = 880;
export const height = 480;
export const left = 92;
export const right = 858;
export const depth = { top: 52, bottom: 236 };
export const sent = { middle: 292, tick: 15 };
export const lane = { top: 342, bottom: 366, names: [380, 393] };
export const receiver = { top: 400, bottom: 424 };
export const axisY = 434;
/** Of a letter at 12 px, about. */
export const letterPx = 6.6;

/** Seconds to px. */
export type Scale = (s: number) => number;

export const text = (x: number, y: number, words: string, kinds: string): string =>
  `<text class="${kinds}" x="${round(x)}" y="${round(y)}">${words}</text>`;
export const round = (value: number): number => Math.round(value * 10) / 10;
/** 1939 as "1,939". */
export const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
