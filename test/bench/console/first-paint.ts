import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { atMost, type Figure } from "../../rig/figures.ts";
import { untilIdle } from "../../rig/machine.ts";
import { median } from "../timing.ts";
import type { BenchPage } from "./screens.ts";
import { openVisitor, type Visit } from "./visitor.ts";

const maxPaintMs = 300;
const maxCompressedKb = 100;
/** Longer than what a page reads is kept for others. */
const forgottenMs = 1_100;
const maxWaitMs = 3_000;

interface PaintOptions {
  readonly url: string;
  readonly pages: readonly BenchPage[];
  readonly rounds: number;
}

/**
 * Visits each page in turn, every time as somebody who was never there: no cache, and nothing kept by the replica
 * from the page before.
 */
export async function timeFirstPaint(
  browser: Browser,
  { url, pages, rounds }: PaintOptions,
): Promise<readonly Figure[]> {
  const visits = new Map(pages.map(({ name }): [string, Visit[]] => [name, []]));
  // The first round is the start of the browser, and of the code of each page.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, path } of pages) {
      await Promise.all([delay(forgottenMs), untilIdle(maxWaitMs)]);
      const visit = await openVisitor(browser, url + path);
      if (round > 0) visits.get(name)?.push(visit);
    }
  }
  return [...visits].flatMap(([name, own]) => {
    const middle = (field: keyof Visit): number => Math.round(median(own.map((visit) => visit[field])));
    return [
      atMost(`${name}: first paint, ms`, middle("firstContentfulPaintMs"), maxPaintMs),
      atMost(`${name}: its assets, compressed, KB`, middle("assetBytes") / 1_000, maxCompressedKb),
    ];
  });
}
